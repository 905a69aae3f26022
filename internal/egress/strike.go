package egress

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"html"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/toolrun/toolrun/network"
)

// A striker replaces secrets in what comes from outside by their placeholders. It finds them as they are; with any of
// their characters in percent encoding, as escapes of JSON and JavaScript, or as references of HTML; in base64 at any
// position of a longer text; and in hexadecimal. What a server makes of a secret in other ways, such as a hash, or the
// secret in two parts, it does not find.
type striker struct {
	forms   []form
	first   [256]bool // with which a form can begin
	longest int       // the length of the longest text that can be a form
}

// A form is a text that is struck.
type form struct {
	text, placeholder string
	escaped           bool // its characters can be escaped
}

// strikerFor returns what strikes the secrets that may go to a host. Other hosts do not know them. If they were struck
// from all responses, a server could find one out by the letter, with code that tells it what is held back.
func (g *Gate) strikerFor(host string) *striker {
	s := &striker{}
	for i, secret := range g.options.Policy.Secrets {
		if secret.IsFor(host) {
			for _, f := range g.forms[i] {
				s.add(f)
			}
		}
	}
	return s
}

func (s *striker) add(f form) {
	s.forms = append(s.forms, f)
	s.first[f.text[0]] = true
	s.longest = max(s.longest, len(f.text))
	if f.escaped {
		s.longest = max(s.longest, len(f.text)*(maxReference+1))
		s.first['%'], s.first['\\'], s.first['&'] = true, true, true
		if f.text[0] == ' ' {
			s.first['+'] = true
		}
	}
}

// minForm is the length of the shortest text that is struck.
const minForm = 6

// formsOf returns the ways in which a secret is found.
func formsOf(secret *network.Secret) []form {
	forms := []form{{secret.Value, secret.Placeholder(), true}}
	encoded := []string{hex.EncodeToString([]byte(secret.Value))}
	encoded = append(encoded, strings.ToUpper(encoded[0]))
	for before := range 3 {
		text := append(make([]byte, before), secret.Value...)
		for _, encoding := range []*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			// Only those letters that depend on nothing before or behind the secret.
			first, last := (before*8+5)/6, len(text)*8/6
			encoded = append(encoded, encoding.EncodeToString(text)[first:last])
		}
	}
	slices.Sort(encoded)
	for _, text := range slices.Compact(encoded) {
		if len(text) >= minForm {
			// Base64 has characters that addresses and JSON escape.
			forms = append(forms, form{text, secret.Placeholder(), strings.ContainsAny(text, "+/")})
		}
	}
	return forms
}

// text returns a text without secrets.
func (s *striker) text(text string) string {
	out, _ := s.strike(nil, []byte(text), 0, true)
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

// strike appends what can be told of data to out, and returns the rest: the last bytes, as many as hold says, and what
// may be the beginning of a secret.
func (s *striker) strike(out, data []byte, hold int, whole bool) (struck, rest []byte) {
	at := 0
next:
	for at < len(data)-hold {
		if s.first[data[at]] {
			for i := range s.forms {
				n, more := s.forms[i].match(data[at:])
				if n > 0 {
					out = append(out, s.forms[i].placeholder...)
					at += n
					continue next
				}
				if more && !whole {
					return out, data[at:]
				}
			}
		}
		out = append(out, data[at])
		at++
	}
	return out, data[at:]
}

// match returns how many bytes at the beginning of data are the form, or zero; more says that data ends before that
// can be told.
func (f *form) match(data []byte) (n int, more bool) {
	if !f.escaped {
		same := min(len(f.text), len(data))
		if string(data[:same]) != f.text[:same] {
			return 0, false
		}
		if same < len(f.text) {
			return 0, true
		}
		return same, false
	}
	// A character can be written in several ways, and what one way ends with can be the beginning of another: all places
	// where the characters so far can have ended.
	var rooms [2][8]int
	ends := append(rooms[0][:0], 0)
	for i := range len(f.text) {
		next := rooms[(i+1)%2][:0]
		for _, end := range ends {
			widths, count, open := character(data[end:], f.text[i])
			more = more || open
			for _, width := range widths[:count] {
				if !slices.Contains(next, end+width) {
					next = append(next, end+width)
				}
			}
		}
		if len(next) == 0 {
			return 0, more
		}
		ends = next
	}
	return slices.Max(ends), false
}

// maxReference is the length of the longest reference of HTML that is looked at.
const maxReference = 12

// character returns how many bytes at the beginning of data can mean the character c. open says that data ends before
// that can be told.
func character(data []byte, c byte) (widths [3]int, count int, open bool) {
	if len(data) == 0 {
		return widths, 0, true
	}
	is := func(width int) {
		widths[count] = width
		count++
	}
	if data[0] == c {
		is(1)
	}
	digits := func(from, n int) {
		value := 0
		for i := from; i < from+n; i++ {
			if i >= len(data) {
				open = true
				return
			}
			digit := strings.IndexByte("0123456789abcdef", data[i]|0x20)
			if data[i] < '0' || digit < 0 {
				return
			}
			if value = value<<4 | digit; i == from+n-1 && value == int(c) {
				is(from + n)
			}
		}
	}
	switch data[0] {
	case '+':
		if c == ' ' {
			is(1)
		}
	case '%':
		digits(1, 2)
	case '\\':
		switch {
		case len(data) == 1:
			open = true
		case data[1] == 'u':
			digits(2, 4)
		case data[1] == 'x':
			digits(2, 2)
		case data[1] == c && strings.IndexByte("\"'`/\\", c) >= 0:
			is(2)
		}
	case '&':
		end := 1
		for end < min(len(data), maxReference) && inReference(data[end]) {
			end++
		}
		if end == len(data) {
			open = end < maxReference
		} else if data[end] == ';' && html.UnescapeString(string(data[:end+1])) == string(rune(c)) {
			is(end + 1)
		}
	}
	return widths, count, open
}

// inReference reports whether a character can be between the & and the ; of a reference of HTML.
func inReference(c byte) bool {
	return c == '#' || '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'z'
}

// pause is how long a stream must rest until what it ends with is handed out. Until then as much is held back as could be
// a secret, whatever it is: code could tell from less how a secret begins, if it can store texts at a host of the secret.
const pause = 100 * time.Millisecond

// reader strikes secrets out of a stream. It returns r itself if there are none. The end of the context ends it, and must
// end a read of r.
func (s *striker) reader(ctx context.Context, r io.Reader) io.Reader {
	if len(s.forms) == 0 {
		return r
	}
	return &strikingReader{s: s, ctx: ctx, from: r}
}

type strikingReader struct {
	s          *striker
	ctx        context.Context
	from       io.Reader
	parts      chan streamPart // what is read of from; nil until somebody reads
	have, done []byte          // what has been read, and what of it has no secrets any more
	rests      bool            // nothing has come for a while
	err        error
}

type streamPart struct {
	data []byte
	err  error
}

// fill reads the stream.
func (r *strikingReader) fill() {
	for {
		data := make([]byte, 16<<10)
		n, err := r.from.Read(data)
		select {
		case r.parts <- streamPart{data[:n], err}:
		case <-r.ctx.Done():
			return
		}
		if err != nil {
			return
		}
	}
}

func (r *strikingReader) Read(p []byte) (int, error) {
	if r.parts == nil {
		r.parts = make(chan streamPart)
		go r.fill()
	}
	for len(r.done) == 0 && r.err == nil {
		r.more()
	}
	if len(r.done) == 0 {
		return 0, r.err
	}
	n := copy(p, r.done)
	r.done = r.done[n:]
	return n, nil
}

// more waits until there is more, or nothing for a while.
func (r *strikingReader) more() {
	var rests <-chan time.Time
	if len(r.have) > 0 && !r.rests {
		timer := time.NewTimer(pause)
		defer timer.Stop()
		rests = timer.C
	}
	hold := r.s.longest - 1
	select {
	case part := <-r.parts:
		r.have, r.err, r.rests = append(r.have, part.data...), part.err, false
	case <-rests:
		r.rests, hold = true, 0
	case <-r.ctx.Done():
		r.err = r.ctx.Err()
	}
	if r.err == io.EOF {
		hold = 0
	}
	// What a response that is cut off ends with may be the beginning of a secret: it is not handed out.
	var rest []byte
	r.done, rest = r.s.strike(r.done[:0:0], r.have, hold, r.err == io.EOF)
	r.have = append(r.have[:0:0], rest...)
}
