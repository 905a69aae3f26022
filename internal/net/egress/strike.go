package egress

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/toolrun/toolrun/network"
)

// A striker replaces secrets in what comes from outside by their placeholders. It finds them as they are, in base64 at
// any position of a longer text, and in hexadecimal; and each of these with any of its characters escaped, once or
// twice, and each in another way: see [read]. What a server makes of a secret in other ways, such as a hash, or the
// secret in two parts, it does not find.
type striker struct {
	forms   []form
	first   [256]bool // with which a form can begin
	longest int       // the length of the longest text that can be a form
}

// A form is a text that is struck.
type form struct {
	text, placeholder string
	anyCase           bool // letters have no case; those of text are small
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
	s.longest = max(s.longest, len(f.text)*maxWidth)
	for c := range s.first {
		s.first[c] = s.first[c] || f.has(0, byte(c)) || escapes(byte(c))
	}
}

// has reports whether a character is the one at a position of the form.
func (f *form) has(at int, c byte) bool {
	return c == f.text[at] || f.anyCase && 'A' <= c && c <= 'Z' && c|0x20 == f.text[at]
}

// minForm is the length of the shortest text that is struck.
const minForm = 6

// formsOf returns the ways in which a secret is found.
func formsOf(secret *network.Secret) []form {
	forms := []form{{secret.Value, secret.Placeholder(), false},
		{hex.EncodeToString([]byte(secret.Value)), secret.Placeholder(), true}}
	var encoded []string
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
			forms = append(forms, form{text, secret.Placeholder(), false})
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
		f.text, f.anyCase = strings.ToLower(f.text), true
		x := scan{data: []byte(name)}
		for at := range len(name) {
			if n, _ := x.match(&f, at); n > 0 {
				return true
			}
		}
	}
	return false
}

// strike appends what can be told of data to out, and returns the rest: the last bytes, as many as hold says, and what
// may be the beginning of a secret.
func (s *striker) strike(out, data []byte, hold int, whole bool) (struck, rest []byte) {
	at, x := 0, scan{data: data}
next:
	for at < len(data)-hold {
		if s.first[data[at]] {
			for i := range s.forms {
				n, more := x.match(&s.forms[i], at)
				if n > 0 && (whole || !more) {
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

// A scan looks for forms in data.
type scan struct {
	data  []byte
	known *[256]knownReadings // by the last digits of their positions; nil until there is an escape
	ends  [2][]int
	seen  []int // the last step that has reached each position
	step  int
}

type knownReadings struct {
	at int // from 1
	readings
}

// read returns what data can have at a position where it has what escapes a character.
func (x *scan) read(at int) *readings {
	if x.known == nil {
		x.known = new([256]knownReadings)
	}
	k := &x.known[at%len(x.known)]
	if k.at != at+1 {
		k.at = at + 1
		k.read(x.data[at:])
	}
	return &k.readings
}

// match returns how many bytes at a position of data are the form, or zero; more says that data ends before that can be
// told.
func (x *scan) match(f *form, start int) (n int, more bool) {
	ends := append(x.ends[0][:0], start) // all places where the characters so far can have ended
	for i := range len(f.text) {
		next := x.ends[(i+1)%2][:0]
		x.step++
		for _, end := range ends {
			if end == len(x.data) {
				more = true
				continue
			}
			if !escapes(x.data[end]) {
				if f.has(i, x.data[end]) {
					next = x.reach(next, end+1)
				}
				continue
			}
			r := x.read(end)
			more = more || r.open
			for _, reading := range r.list() {
				if f.has(i, reading.c) {
					next = x.reach(next, end+int(reading.width))
				}
			}
		}
		x.ends[(i+1)%2] = next
		if len(next) == 0 {
			return 0, more
		}
		ends = next
	}
	return slices.Max(ends) - start, more
}

// reach adds a place to those that a step has reached.
func (x *scan) reach(places []int, end int) []int {
	if len(places) < 8 && !slices.Contains(places, end) {
		return append(places, end)
	}
	if x.seen == nil {
		x.seen = make([]int, len(x.data)+1)
	}
	if len(places) == 8 { // from here on, a look at all of them would take too long
		for _, place := range places {
			x.seen[place] = x.step
		}
	}
	if x.seen[end] == x.step || len(places) < 8 {
		return places
	}
	x.seen[end] = x.step
	return append(places, end)
}

// pause is how long a stream must rest until what it ends with is handed out. Until then as much is held back as could
// be a secret, whatever it is: code could tell from less how a secret begins, if it can store texts at a host of the
// secret.
const pause = 100 * time.Millisecond

// reader strikes secrets out of a stream. It returns r itself if there are none. The end of the context ends it, and
// must end a read of r.
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
