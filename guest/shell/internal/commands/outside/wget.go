package outside

import (
	"fmt"
	"io"
	"net/url"
	"path"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var wget = &command.Command{
	Name:     "wget",
	Operands: "[OPTION]... URL...",
	Summary:  "Fetch files over the network, by the rules that the project has for it.",
	Options: []command.Option{
		{Short: 'O', Long: "output-document", Arg: "FILE", Help: "write all to FILE"},
		{Short: 'P', Long: "directory-prefix", Arg: "DIR", Help: "write files into DIR"},
		{Short: 'c', Long: "continue"}, {Short: 'n', Arg: "v|c", Help: "with v, say little; with c, keep files"},
		{Long: "no-clobber", Help: "keep files that there are"},
		{Short: 'q', Long: "quiet", Help: "say nothing"},
		{Short: 'S', Long: "server-response", Help: "write the headers of responses to standard error"},
		{Short: 'U', Long: "user-agent", Arg: "NAME", Help: "send User-Agent NAME"},
		{Long: "header", Arg: "LINE", Help: "send a header"},
		{Long: "post-data", Arg: "DATA", Help: "POST DATA"},
		{Long: "method", Arg: "METHOD", Help: "use METHOD"},
		{Long: "body-data", Arg: "DATA", Help: "send DATA"},
		{Long: "spider", Help: "only ask whether there is such a file"},
		{Short: 't', Long: "tries", Arg: "N"}, {Short: 'T', Long: "timeout", Arg: "SECONDS"},
		{Long: "no-check-certificate"}, {Long: "no-verbose"}, {Short: 'N', Long: "timestamping"},
		{Long: "show-progress"}, {Long: "progress", Arg: "TYPE"}, {Long: "content-disposition"},
	},
	Notes:   "There is no fetching of what pages refer to (-r).",
	Trouble: 2,
	Run:     runWget,
}

func runWget(c *command.Context) int {
	if len(c.Args) == 0 {
		return c.Usage("missing URL")
	}
	request := command.Request{Method: "GET", Redirect: "follow", Headers: [][2]string{{"Accept", "*/*"}}}
	agent := "Wget/1.25.0"
	keep := c.Has("no-clobber")
	for _, g := range c.Given {
		switch g.Name {
		case "user-agent":
			agent = g.Value
		case "header":
			name, value, _ := strings.Cut(g.Value, ":")
			request.Headers = append(request.Headers, [2]string{name, latin1(strings.TrimSpace(value))})
		case "post-data", "body-data":
			if request.Body = []byte(g.Value); g.Name == "post-data" {
				request.Method = "POST"
				request.Headers = append(request.Headers,
					[2]string{"Content-Type", "application/x-www-form-urlencoded"})
			}
		case "method":
			request.Method = g.Value
		case "n":
			keep = keep || strings.Contains(g.Value, "c")
		}
	}
	if c.Has("spider") {
		request.Method = "HEAD"
	}
	request.Headers = append(request.Headers, [2]string{"User-Agent", agent})
	say := func(format string, args ...any) {
		if !c.Has("quiet") {
			fmt.Fprintf(c.Stderr, format+"\n", args...)
		}
	}
	var all io.Writer
	if name, ok := c.Value("output-document"); ok {
		if all = c.Stdout; name != "-" {
			file, err := c.Create(name)
			if err != nil {
				say("%s: %s", name, command.Text(err))
				return 3
			}
			defer file.Close()
			all = file
		}
	}
	status := 0
	for _, address := range c.Args {
		if s := fetch(c, request, address, all, keep, say); s != 0 {
			status = s
		}
	}
	return status
}

// fetch fetches one URL, to a writer or, if that is nil, to a file with the name of the URL.
func fetch(c *command.Context, request command.Request, address string, all io.Writer, keep bool,
	say func(string, ...any)) int {
	whole, status, text := complete(address)
	if status != 0 {
		say("%s: %s.", address, text)
		return 1
	}
	request.URL = whole
	parsed, _ := url.Parse(request.URL)
	name := path.Base(parsed.Path)
	if name == "/" || name == "." || strings.HasSuffix(parsed.Path, "/") {
		name = "index.html"
	}
	if parsed.RawQuery != "" {
		name += "?" + parsed.RawQuery
	}
	if dir, ok := c.Value("directory-prefix"); ok {
		if err := c.MkdirAll(dir, 0o777); err != nil {
			say("%s: %s", dir, command.Text(err))
			return 3
		}
		name = path.Join(dir, name)
	}
	if all == nil && request.Method != "HEAD" {
		if _, err := c.Stat(name); err == nil {
			if keep {
				say("File ‘%s’ already there; not retrieving.", name)
				return 0
			}
			if !c.Has("continue") && !c.Has("timestamping") {
				n := 1
				for ; err == nil; n++ {
					_, err = c.Stat(fmt.Sprintf("%s.%d", name, n))
				}
				name = fmt.Sprintf("%s.%d", name, n-1)
			}
		}
	}
	response, err := c.Outside.Do(c.Context(), request)
	if err != nil {
		say("wget: %v", err)
		return 4
	}
	defer response.Body.Close()
	if c.Has("server-response") {
		fmt.Fprintf(c.Stderr, "  HTTP/1.1 %d %s\n", response.Status, response.StatusText)
		for _, h := range response.Headers {
			fmt.Fprintf(c.Stderr, "  %s: %s\n", h[0], h[1])
		}
	}
	if response.Status >= 400 {
		say("%s\nERROR %d: %s.", address, response.Status, response.StatusText)
		return 8
	}
	if request.Method == "HEAD" {
		say("Remote file exists.")
		return 0
	}
	out := all
	if out == nil {
		file, err := c.Create(name)
		if err != nil {
			say("%s: %s", name, command.Text(err))
			return 3
		}
		defer file.Close()
		out = file
	}
	n, err := io.Copy(out, response.Body)
	if err != nil {
		say("%s: %s", name, command.Text(err))
		return 4
	}
	if all == nil {
		say("‘%s’ saved [%d]", name, n)
	}
	return 0
}
