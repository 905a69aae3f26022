package egress

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"html"
	"io"
	"net/url"
	"strings"

	"github.com/toolrun/toolrun/network"
)

// A striker replaces secrets in what comes from outside by their placeholders. It finds them as they are, with percent
// encoding, in base64 at any position of a longer text, in hexadecimal, as JSON and as HTML. What a server makes of a
// secret in other ways, such as a hash, or the secret in two parts, it does not find.
type striker struct {
	forms []form
	first [256]bool // with which a form begins
}

type form struct{ text, placeholder string }

func newStriker(secrets []network.Secret) *striker {
	s := &striker{}
	for _, secret := range secrets {
		seen := map[string]bool{}
		for _, text := range formsOf(secret.Value) {
			if len(text) < minForm || seen[text] {
				continue
			}
			seen[text] = true
			s.forms = append(s.forms, form{text, secret.Placeholder()})
			s.first[text[0]] = true
		}
	}
	return s
}

// minForm is the length of the shortest text that is struck.
const minForm = 6

// formsOf returns the ways in which a secret is found.
func formsOf(secret string) []string {
	forms := []string{
		secret, url.QueryEscape(secret), url.PathEscape(secret), strings.ToLower(url.QueryEscape(secret)), html.EscapeString(secret),
		hex.EncodeToString([]byte(secret)), strings.ToUpper(hex.EncodeToString([]byte(secret))),
	}
	for _, escape := range []bool{true, false} {
		var b bytes.Buffer
		e := json.NewEncoder(&b)
		e.SetEscapeHTML(escape)
		if e.Encode(secret) == nil {
			text := strings.Trim(strings.TrimSpace(b.String()), `"`)
			forms = append(forms, text, strings.ReplaceAll(text, "/", `\/`))
		}
	}
	for before := range 3 {
		text := append(make([]byte, before), secret...)
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			encoded := encoding.EncodeToString(text)
			// Only those letters that depend on nothing before or behind the secret.
			first, last := (before*8+5)/6, len(text)*8/6
			forms = append(forms, encoded[first:last])
		}
	}
	return forms
}

// text returns a text without secrets.
func (s *striker) text(text string) string {
	out, _ := s.strike(nil, []byte(text), true)
	return string(out)
}

// inName reports whether the name of a header, in lower case, has a secret in it.
func (s *striker) inName(name string) bool {
	for _, f := range s.forms {
		if strings.Contains(name, strings.ToLower(f.text)) {
			return true
		}
	}
	return false
}

// strike appends what can be told of data to out, and returns the rest, which may be the beginning of a secret.
func (s *striker) strike(out, data []byte, whole bool) (struck, rest []byte) {
	at := 0
next:
	for at < len(data) {
		if s.first[data[at]] {
			if !whole && s.begins(data[at:]) {
				break
			}
			for _, f := range s.forms {
				if len(data)-at >= len(f.text) && string(data[at:at+len(f.text)]) == f.text {
					out = append(out, f.placeholder...)
					at += len(f.text)
					continue next
				}
			}
		}
		out = append(out, data[at])
		at++
	}
	return out, data[at:]
}

// begins reports whether all of data is the beginning of a secret.
func (s *striker) begins(data []byte) bool {
	for _, f := range s.forms {
		if len(data) < len(f.text) && f.text[:len(data)] == string(data) {
			return true
		}
	}
	return false
}

// reader strikes secrets out of a stream. It returns r itself if there are none.
func (s *striker) reader(r io.Reader) io.Reader {
	if len(s.forms) == 0 {
		return r
	}
	return &strikingReader{s: s, from: r, chunk: make([]byte, 16<<10)}
}

type strikingReader struct {
	s          *striker
	from       io.Reader
	chunk      []byte
	have, done []byte // what has been read, and what of it has no secrets any more
	err        error
}

func (r *strikingReader) Read(p []byte) (int, error) {
	for len(r.done) == 0 && r.err == nil {
		n, err := r.from.Read(r.chunk)
		r.have = append(r.have, r.chunk[:n]...)
		r.err = err
		var rest []byte
		r.done, rest = r.s.strike(r.done[:0:0], r.have, err != nil)
		r.have = append(r.have[:0:0], rest...)
	}
	if len(r.done) == 0 {
		return 0, r.err
	}
	n := copy(p, r.done)
	r.done = r.done[n:]
	return n, nil
}
