package outside

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"io"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var curl = &command.Command{
	Name:     "curl",
	Operands: "[OPTION]... URL...",
	Summary:  "Make requests over the network, by the rules that the project has for it.",
	Options: []command.Option{
		{Short: 'A', Long: "user-agent", Arg: "NAME", Help: "send User-Agent NAME"},
		{Short: 'b', Long: "cookie", Arg: "DATA", Help: "send cookies"},
		{Short: 'd', Long: "data", Arg: "DATA", Help: "POST DATA, or with @ that of a file without its line ends"},
		{Long: "data-binary", Arg: "DATA", Help: "POST DATA, or with @ a file, as it is"},
		{Long: "data-raw", Arg: "DATA", Help: "POST DATA, in which @ is nothing special"},
		{Long: "data-urlencode", Arg: "DATA", Help: "POST DATA, percent-encoded"},
		{Short: 'D', Long: "dump-header", Arg: "FILE", Help: "write the headers of the response to FILE"},
		{Short: 'e', Long: "referer", Arg: "URL", Help: "send Referer URL"},
		{Short: 'f', Long: "fail", Help: "fail with status 22 if the server answers with an error"},
		{Long: "fail-with-body", Help: "as -f, but write the body"},
		{Short: 'F', Long: "form", Arg: "NAME=VALUE", Help: "POST a form of several parts; @ and < stand for files"},
		{Short: 'G', Long: "get", Help: "put the data into the URL, and use GET"},
		{Short: 'H', Long: "header", Arg: "LINE", Help: "send a header"},
		{Short: 'i', Long: "include", Help: "write the headers of the response, too"},
		{Short: 'I', Long: "head", Help: "only ask for the headers"},
		{Long: "json", Arg: "DATA", Help: "POST DATA as JSON"},
		{Short: 'L', Long: "location", Help: "follow redirects"},
		{Short: 'm', Long: "max-time", Arg: "SECONDS", Help: "give up after SECONDS"},
		{Short: 'o', Long: "output", Arg: "FILE", Help: "write to FILE"},
		{Short: 'O', Long: "remote-name", Help: "write to a file with the last name of the URL's path"},
		{Long: "create-dirs", Help: "make the directories of the file"},
		{Long: "output-dir", Arg: "DIR", Help: "write files into DIR"},
		{Short: 'r', Long: "range", Arg: "RANGE", Help: "ask for a range of bytes"},
		{Long: "retry", Arg: "NUMBER", Help: "try again so often after errors that may pass"},
		{Short: 's', Long: "silent", Help: "say nothing of errors"},
		{Short: 'S', Long: "show-error", Help: "say them nevertheless"},
		{Short: 'T', Long: "upload-file", Arg: "FILE", Help: "PUT a file"},
		{Short: 'u', Long: "user", Arg: "NAME:PASSWORD", Help: "log in"},
		{Long: "url", Arg: "URL", Help: "a URL"},
		{Short: 'v', Long: "verbose", Help: "write the headers of both sides to standard error"},
		{Short: 'w', Long: "write-out", Arg: "FORMAT", Help: "write FORMAT at the end, with %{http_code} and so on"},
		{Short: 'X', Long: "request", Arg: "METHOD", Help: "use METHOD"},
		{Short: '#', Long: "progress-bar"}, {Short: '4', Long: "ipv4"}, {Short: '6', Long: "ipv6"},
		{Long: "compressed"}, {Long: "connect-timeout", Arg: "SECONDS"}, {Short: 'g', Long: "globoff"},
		{Long: "http1.1"}, {Long: "http2"}, {Short: 'k', Long: "insecure"}, {Long: "max-redirs", Arg: "NUMBER"},
		{Short: 'N', Long: "no-buffer"}, {Long: "no-progress-meter"}, {Short: 'q', Long: "disable"},
		{Long: "retry-delay", Arg: "SECONDS"}, {Long: "retry-all-errors"}, {Long: "tlsv1.2"},
	},
	Notes: "There are no cookies but those of -b, no proxies, and no protocols but http and https. What the\n" +
		"project's rules do not allow fails with status 7.",
	Trouble: 2,
	Run:     runCurl,
}

// transfer is what curl has to do.
type transfer struct {
	*command.Context
	request command.Request
	query   string // added to the URL
	agent   string
}

func runCurl(c *command.Context) int {
	t := &transfer{Context: c, request: command.Request{Redirect: "manual"}}
	urls := c.Args
	for _, g := range c.Given {
		if g.Name == "url" {
			urls = append(urls, g.Value)
		}
	}
	if len(urls) == 0 {
		fmt.Fprintln(c.Stderr, "curl: try 'curl --help' for more information")
		return 2
	}
	if err := t.prepare(); err != nil {
		return t.fail(26, err.Error())
	}
	var outputs []string
	for _, g := range c.Given {
		if g.Name == "output" || g.Name == "remote-name" {
			outputs = append(outputs, g.Value)
		}
	}
	status := 0
	for i, address := range urls {
		output, named := "-", i < len(outputs)
		if named {
			output = outputs[i]
		}
		address, failure, text := complete(address)
		if failure != 0 {
			status = t.fail(failure, text)
			continue
		}
		if output == "" && named { // -O
			parsed, _ := url.Parse(address)
			if output = path.Base(parsed.Path); output == "/" || output == "." {
				status = t.fail(23, "Remote file name has no length")
				continue
			}
		}
		status = t.try(address, output)
	}
	return status
}

// complete returns a URL with a scheme, or curl's status for one that is wrong.
func complete(address string) (complete string, status int, text string) {
	if !strings.Contains(address, "://") {
		address = "http://" + address
	}
	parsed, err := url.Parse(strings.ReplaceAll(address, " ", "%20"))
	switch {
	case err != nil || parsed.Host == "":
		return "", 3, "URL rejected: Malformed input to a URL function"
	case parsed.Scheme != "http" && parsed.Scheme != "https":
		return "", 1, fmt.Sprintf("Protocol %q not supported", parsed.Scheme)
	}
	return parsed.String(), 0, ""
}

// prepare makes the request of the options, but for its URL.
func (t *transfer) prepare() error {
	r := &t.request
	headers := map[string]bool{}
	set := func(name, value string) {
		if !headers[strings.ToLower(name)] {
			r.Headers = append(r.Headers, [2]string{name, latin1(value)})
			headers[strings.ToLower(name)] = true
		}
	}
	var data []byte
	var form []string
	posts, jsonType := false, false
	for _, g := range t.Given {
		switch g.Name {
		case "data", "data-binary", "data-raw", "data-urlencode", "json":
			part, err := t.data(g)
			if err != nil {
				return err
			}
			if posts && g.Name != "json" {
				data = append(data, '&')
			}
			data, posts = append(data, part...), true
			jsonType = jsonType || g.Name == "json"
		case "form":
			form = append(form, g.Value)
		case "header":
			lines := []string{g.Value}
			if name, ok := strings.CutPrefix(g.Value, "@"); ok {
				content, err := t.content(name)
				if err != nil {
					return err
				}
				lines = strings.Split(strings.TrimSpace(string(content)), "\n")
			}
			for _, line := range lines {
				name, value, ok := strings.Cut(strings.TrimRight(line, "\r"), ":")
				if empty, isEmpty := strings.CutSuffix(name, ";"); !ok && isEmpty {
					name, ok = empty, true
				}
				if value = strings.TrimSpace(value); value != "" || ok && strings.HasSuffix(line, ";") {
					r.Headers = append(r.Headers, [2]string{name, latin1(value)})
				}
				headers[strings.ToLower(name)] = true
			}
		}
	}
	t.agent = "curl/8.14.1"
	if agent, ok := t.Value("user-agent"); ok {
		t.agent = agent
	}
	set("User-Agent", t.agent)
	if jsonType {
		set("Content-Type", "application/json")
		set("Accept", "application/json")
	} else {
		set("Accept", "*/*")
	}
	if user, ok := t.Value("user"); ok {
		if !strings.Contains(user, ":") {
			user += ":"
		}
		set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(user)))
	}
	for _, o := range [][2]string{{"referer", "Referer"}, {"cookie", "Cookie"}} {
		if value, ok := t.Value(o[0]); ok {
			set(o[1], value)
		}
	}
	if value, ok := t.Value("range"); ok {
		set("Range", "bytes="+value)
	}
	r.Method = "GET"
	switch {
	case t.Has("get"):
		t.query = string(data)
	case form != nil:
		body, boundary, err := t.form(form)
		if err != nil {
			return err
		}
		r.Method, r.Body = "POST", body
		set("Content-Type", "multipart/form-data; boundary="+boundary)
	case posts:
		r.Method, r.Body = "POST", data
		set("Content-Type", "application/x-www-form-urlencoded")
	}
	if name, ok := t.Value("upload-file"); ok {
		body, err := t.content(name)
		if err != nil {
			return err
		}
		r.Method, r.Body = "PUT", body
	}
	if t.Has("head") {
		r.Method = "HEAD"
	}
	if method, ok := t.Value("request"); ok {
		r.Method = method
	}
	if t.Has("location") {
		r.Redirect = "follow"
	}
	return nil
}

// latin1 returns a text with a character for each byte.
func latin1(s string) string {
	runes := make([]rune, len(s))
	for i := range len(s) {
		runes[i] = rune(s[i])
	}
	return string(runes)
}

// content reads a file, or standard input.
func (t *transfer) content(name string) ([]byte, error) {
	in, err := t.Input(name)
	if err != nil {
		return nil, fmt.Errorf("cannot open %s", name)
	}
	defer in.Close()
	return io.ReadAll(in)
}

// data returns the data of an option.
func (t *transfer) data(g command.Given) ([]byte, error) {
	switch name, isFile := strings.CutPrefix(g.Value, "@"); {
	case g.Name == "data-urlencode":
		name, value := "", g.Value
		if i := strings.IndexAny(g.Value, "=@"); i >= 0 {
			if name, value = g.Value[:i], g.Value[i+1:]; g.Value[i] == '@' {
				content, err := t.content(value)
				if err != nil {
					return nil, err
				}
				value = string(content)
			}
			if name != "" {
				name += "="
			}
		}
		return []byte(name + url.QueryEscape(value)), nil
	case g.Name == "data-raw" || !isFile:
		return []byte(g.Value), nil
	default:
		content, err := t.content(name)
		if err == nil && g.Name == "data" {
			content = bytes.Map(func(r rune) rune {
				if r == '\n' || r == '\r' {
					return -1
				}
				return r
			}, content)
		}
		return content, err
	}
}

// types are the types of files that curl knows.
var types = map[string]string{".gif": "image/gif", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".png": "image/png",
	".svg": "image/svg+xml", ".txt": "text/plain", ".htm": "text/html", ".html": "text/html", ".pdf": "application/pdf",
	".xml": "application/xml"}

// form returns the body of a form of several parts.
func (t *transfer) form(fields []string) (body []byte, boundary string, err error) {
	random := make([]byte, 12)
	_, _ = rand.Read(random)
	boundary = "------------------------" + hex.EncodeToString(random)
	var b bytes.Buffer
	for _, field := range fields {
		name, value, ok := strings.Cut(field, "=")
		if !ok {
			return nil, "", fmt.Errorf("a field of a form has no =: %s", field)
		}
		fmt.Fprintf(&b, "--%s\r\nContent-Disposition: form-data; name=%q", boundary, name)
		if value != "" && (value[0] == '@' || value[0] == '<') {
			parts := strings.Split(value[1:], ";")
			content, err := t.content(parts[0])
			if err != nil {
				return nil, "", err
			}
			kind, file := "", path.Base(parts[0])
			for _, part := range parts[1:] {
				if v, ok := strings.CutPrefix(part, "type="); ok {
					kind = v
				} else if v, ok := strings.CutPrefix(part, "filename="); ok {
					file = v
				}
			}
			if value[0] == '@' {
				if kind == "" {
					kind = cmp.Or(types[path.Ext(file)], "application/octet-stream")
				}
				fmt.Fprintf(&b, "; filename=%q\r\nContent-Type: %s", file, kind)
			}
			value = string(content)
		}
		fmt.Fprintf(&b, "\r\n\r\n%s\r\n", value)
	}
	fmt.Fprintf(&b, "--%s--\r\n", boundary)
	return b.Bytes(), boundary, nil
}

// fail says what went wrong, if it is to be said, and returns the status.
func (t *transfer) fail(status int, text string) int {
	if !t.Has("silent") || t.Has("show-error") {
		fmt.Fprintf(t.Stderr, "curl: (%d) %s\n", status, text)
	}
	return status
}

// try makes a request until it succeeds, as often as wanted.
func (t *transfer) try(address, output string) int {
	tries, _ := t.Value("retry")
	for n, _ := strconv.Atoi(tries); ; n-- {
		status, again := t.transfer(address, output, n > 0)
		if n <= 0 || !again {
			return status
		}
		select {
		case <-time.After(time.Second):
		case <-t.Context.Context().Done():
			return 28
		}
	}
}

// transfer makes a request. Again says that trying again may help; if it may be tried, nothing is written then.
func (t *transfer) transfer(address, output string, more bool) (status int, again bool) {
	ctx := t.Context.Context()
	if limit, ok := t.Value("max-time"); ok {
		seconds, err := strconv.ParseFloat(limit, 64)
		if err != nil {
			return t.fail(2, "option --max-time: expected a proper numerical parameter"), false
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Duration(seconds*float64(time.Second)))
		defer cancel()
	}
	r := t.request
	if r.URL = address; t.query != "" {
		separator := "?"
		if strings.Contains(address, "?") {
			separator = "&"
		}
		r.URL += separator + t.query
	}
	if t.Has("verbose") {
		fmt.Fprintf(t.Stderr, "> %s %s\n", r.Method, r.URL)
		for _, h := range r.Headers {
			fmt.Fprintf(t.Stderr, "> %s: %s\n", h[0], h[1])
		}
		fmt.Fprintln(t.Stderr, ">")
	}
	start := time.Now()
	response, err := t.Outside.Do(ctx, r)
	if err != nil {
		return t.failed(ctx, err, start), false
	}
	defer response.Body.Close()
	fails := response.Status >= 400
	if transient := response.Status == 408 || response.Status == 429 || response.Status >= 500; transient && more {
		return 22, true
	}
	head := fmt.Sprintf("HTTP/1.1 %d %s\r\n", response.Status, response.StatusText)
	kind := ""
	for _, h := range response.Headers {
		head += h[0] + ": " + h[1] + "\r\n"
		if strings.EqualFold(h[0], "content-type") {
			kind = h[1]
		}
	}
	head += "\r\n"
	if t.Has("verbose") {
		for line := range strings.SplitSeq(strings.TrimSuffix(head, "\r\n"), "\r\n") {
			fmt.Fprintf(t.Stderr, "< %s\n", line)
		}
	}
	if name, ok := t.Value("dump-header"); ok {
		if status := t.save(name, strings.NewReader(head)); status != 0 {
			return status, false
		}
	}
	var in io.Reader = response.Body
	switch {
	case t.Has("head"):
		in = strings.NewReader(head)
	case t.Has("include"):
		in = io.MultiReader(strings.NewReader(head), in)
	}
	counted := &command.Counter{R: in}
	if !fails || !t.Has("fail") {
		status = t.save(output, counted)
	}
	if counted.Err != nil {
		return t.failed(ctx, counted.Err, start), false
	}
	if fails && (t.Has("fail") || t.Has("fail-with-body")) {
		status = t.fail(22, fmt.Sprintf("The requested URL returned error: %d", response.Status))
	}
	if format, ok := t.Value("write-out"); ok {
		values := map[string]string{
			"http_code": fmt.Sprintf("%03d", response.Status), "response_code": fmt.Sprintf("%03d", response.Status),
			"size_download": fmt.Sprint(counted.N), "url": address, "url_effective": response.URL, "content_type": kind,
			"time_total": fmt.Sprintf("%.6f", time.Since(start).Seconds()), "method": r.Method,
			"exitcode":           fmt.Sprint(status),
			"filename_effective": strings.TrimPrefix(output, "-"), "scheme": strings.SplitN(response.URL, ":", 2)[0],
			"num_redirects": "0", "redirect_url": "", "http_version": "1.1", "errormsg": "",
		}
		_, _ = io.WriteString(t.Stdout, writeOut(format, values))
	}
	return status, false
}

// failed says why there is no response, or why it ended.
func (t *transfer) failed(ctx context.Context, err error, start time.Time) int {
	if ctx.Err() != nil {
		return t.fail(28, fmt.Sprintf("Operation timed out after %d milliseconds", time.Since(start).Milliseconds()))
	}
	return t.fail(7, err.Error())
}

// save writes a body to a file or to standard output.
func (t *transfer) save(name string, in io.Reader) (status int) {
	if name == "-" {
		_, err := io.Copy(t.Stdout, in)
		if counted, ok := in.(*command.Counter); err != nil && (!ok || counted.Err == nil) {
			return t.fail(23, "Failure writing output to destination")
		}
		return 0
	}
	if dir, ok := t.Value("output-dir"); ok && !path.IsAbs(name) {
		name = dir + "/" + name
	}
	if t.Has("create-dirs") {
		_ = t.MkdirAll(path.Dir(name), 0o777)
	}
	file, err := t.Create(name)
	if err != nil {
		return t.fail(23, fmt.Sprintf("Failed to open the file %s: %s", name, command.Text(err)))
	}
	_, err = io.Copy(file, in)
	if closing := file.Close(); err == nil {
		err = closing
	}
	if counted, ok := in.(*command.Counter); err != nil && (!ok || counted.Err == nil) {
		return t.fail(23, "Failure writing output to destination")
	}
	return 0
}

// writeOut replaces what stands for values in the format of -w.
func writeOut(format string, values map[string]string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(format, "%{")
		b.WriteString(command.Unescape(before))
		if !ok {
			return b.String()
		}
		name, after, ok := strings.Cut(rest, "}")
		if !ok {
			b.WriteString("%{" + rest)
			return b.String()
		}
		b.WriteString(values[name])
		format = after
	}
}
