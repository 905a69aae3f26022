package sed

import "bytes"

// A replacement puts one text in the place of another, which is in one line.
type replacement struct {
	text, by []byte
	global   bool
}

// replacements returns what the program does if it does nothing but replace texts in each line, or nil.
func (e *editor) replacements() []replacement {
	var all []replacement
	for _, in := range e.program {
		if e.quiet || in.name != 's' || in.from.kind != noAddress || in.negated || in.sub.re.re == nil ||
			in.sub.nth > 0 || in.sub.print || in.sub.file != "" {
			return nil
		}
		r := replacement{text: in.sub.re.re.Literal(), global: in.sub.global}
		if len(r.text) == 0 || bytes.IndexByte(r.text, e.separator) >= 0 {
			return nil
		}
		r.by = in.sub.expand(nil, r.text, []int{0, len(r.text)})
		if len(e.program) > 1 && bytes.IndexByte(r.by, e.separator) >= 0 { // the next one has several lines at once
			return nil
		}
		all = append(all, r)
	}
	return all
}

// replaceAhead does all in whole lines that have been read ahead, which takes a fraction of the time of line by line.
// It reports whether to go on. Nothing that such a program does depends on the number of a line.
func (e *editor) replaceAhead(all []replacement) bool {
	if e.c.Context().Err() != nil {
		return false
	}
	ahead, _ := e.in.Peek(e.in.Buffered())
	end := bytes.LastIndexByte(ahead, e.separator)
	if end < 0 {
		return true
	}
	text := ahead[:end+1]
	for _, r := range all {
		e.spare = r.replace(e.spare[:0], text, e.separator)
		text = e.spare
		e.space, e.spare = e.spare, e.space
	}
	e.write(e.out, text[:len(text)-1], true)
	_, err := e.in.Discard(end + 1)
	return err == nil
}

// replace appends lines, each with its end, with what takes the place of the text in them.
func (r *replacement) replace(out, lines []byte, separator byte) []byte {
	for {
		i := bytes.Index(lines, r.text)
		if i < 0 {
			return append(out, lines...)
		}
		out = append(append(out, lines[:i]...), r.by...)
		lines = lines[i+len(r.text):]
		if !r.global {
			end := bytes.IndexByte(lines, separator)
			out = append(out, lines[:end]...)
			lines = lines[end:]
		}
	}
}
