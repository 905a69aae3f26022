package awk

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// A reader reads records.
type reader struct {
	r      io.Reader
	closer func() int
	buf    []byte // unread bytes
	store  []byte // what buf is a part of
	block  string // the records that buf begins with, whole and with their ends
	eof    bool
	err    error
}

const bufferSize = 64 << 10

// blockSize is how many bytes of records become one text. That is cheaper than a text for each, but a program that
// keeps a part of one record keeps all of them.
const blockSize = 1 << 10

func newReader(r io.Reader, closer func() int) *reader { return &reader{r: r, closer: closer} }

// fill reads more, and returns whether there was more.
func (r *reader) fill() bool {
	if r.eof {
		return false
	}
	if len(r.buf) == 0 {
		if r.store == nil {
			r.store = make([]byte, 0, bufferSize)
		}
		r.buf = r.store[:0]
	} else if cap(r.buf)-len(r.buf) < 4096 {
		grown := make([]byte, len(r.buf), max(bufferSize, 2*len(r.buf)+4096))
		copy(grown, r.buf)
		r.buf, r.store = grown, grown[:0]
	}
	n, err := r.r.Read(r.buf[len(r.buf):cap(r.buf)])
	r.buf = r.buf[:len(r.buf)+n]
	if err != nil {
		r.eof = true
		if err != io.EOF {
			r.err = err
		}
		return n > 0
	}
	return true
}

// read returns a record and what ended it.
func (r *reader) read(m *machine) (record, end string, ok bool) {
	if m.rs == "\n" || len(m.rs) == 1 && !(m.ignoreCase && isLetter(m.rs[0])) {
		separator := m.rs[0]
		i := strings.IndexByte(r.block, separator)
		if i < 0 {
			if !r.nextBlock(separator) {
				return r.rest()
			}
			i = strings.IndexByte(r.block, separator)
		}
		record, r.block, r.buf = r.block[:i], r.block[i+1:], r.buf[i+1:]
		return record, m.rs, true
	}
	r.block = ""
	if m.rs == "" {
		return r.paragraph()
	}
	p := m.regex(m.rs)
	for {
		if at := p.re.FindIndex(r.buf); at != nil && at[0] < at[1] && (at[1] < len(r.buf) || r.eof) {
			record, end = string(r.buf[:at[0]]), string(r.buf[at[0]:at[1]])
			r.buf = r.buf[at[1]:]
			return record, end, true
		}
		if !r.fill() && r.eof {
			if at := p.re.FindIndex(r.buf); at != nil && at[0] < at[1] {
				continue
			}
			return r.rest()
		}
	}
}

// nextBlock makes the next block, if there is the end of a record.
func (r *reader) nextBlock(separator byte) bool {
	r.block = ""
	for at := 0; ; {
		if i := bytes.IndexByte(r.buf[at:], separator); i >= 0 {
			last := bytes.LastIndexByte(r.buf[:min(len(r.buf), blockSize)], separator)
			r.block = string(r.buf[:max(at+i, last)+1])
			return true
		}
		at = len(r.buf)
		if !r.fill() && r.eof {
			return false
		}
	}
}

func (r *reader) rest() (record, end string, ok bool) {
	if len(r.buf) == 0 {
		return "", "", false
	}
	record = string(r.buf)
	r.buf = nil
	return record, "", true
}

var blankLines = regexp.MustCompile(`\n\n+`)

func (r *reader) paragraph() (record, end string, ok bool) {
	for {
		r.buf = bytes.TrimLeft(r.buf, "\n")
		if at := blankLines.FindIndex(r.buf); at != nil && (at[1] < len(r.buf) || r.eof) {
			record, end = string(r.buf[:at[0]]), string(r.buf[at[0]:at[1]])
			r.buf = r.buf[at[1]:]
			return record, end, true
		}
		if !r.fill() && r.eof {
			if blankLines.Match(r.buf) {
				continue
			}
			record, _, ok = r.rest()
			if trimmed, cut := strings.CutSuffix(record, "\n"); cut {
				record, end = trimmed, "\n"
			}
			return record, end, ok
		}
	}
}

func (r *reader) close() int {
	if r.closer == nil {
		return 0
	}
	closer := r.closer
	r.closer = nil
	return closer()
}

// nextRecord returns the next record of the input.
func (m *machine) nextRecord() (string, bool) {
	for {
		if m.main == nil && !m.nextFile() {
			return "", false
		}
		record, end, ok := m.main.read(m)
		if ok {
			m.nr++
			m.fnr++
			m.globals[m.endSlot].v = str(end)
			return record, true
		}
		if m.main.err != nil {
			m.warn("error reading input file `" + m.global("FILENAME").v.s + "': " + command.Text(m.main.err))
			m.status = 2
		}
		m.endFile()
	}
}

// endFile ends the file that is being read.
func (m *machine) endFile() {
	if m.main == nil {
		return
	}
	m.guarded(func() control { return m.all(m.prog.endFile) })
	if m.main != m.stdin {
		m.main.close()
	}
	m.main = nil
	if m.edited != nil {
		m.finishEdit()
	}
}

var assignment = regexp.MustCompile(`(?s)^([A-Za-z_][A-Za-z0-9_]*)=(.*)$`)

// nextFile opens the next file of the arguments.
func (m *machine) nextFile() bool {
	argv := m.global("ARGV").array("ARGV")
	for {
		m.argument++
		if m.argument >= int(m.global("ARGC").v.num()) {
			if m.anyFile {
				return false
			}
			m.anyFile = true
			m.open("-")
			return true
		}
		c := argv.m[strconv.Itoa(m.argument)]
		if c == nil {
			continue
		}
		name := c.v.str(m.convfmt)
		if name == "" {
			continue
		}
		if parts := assignment.FindStringSubmatch(name); parts != nil {
			m.setByName(parts[1], unescape(parts[2], nil))
			continue
		}
		m.anyFile = true
		if m.open(name) {
			return true
		}
	}
}

// open begins to read a file of the arguments.
func (m *machine) open(name string) bool {
	m.fnr = 0
	m.global("FILENAME").v = str(name)
	if name == "-" || name == "/dev/stdin" {
		m.main = m.stdin
	} else {
		file, err := m.c.Open(name)
		if err == nil {
			if info, e := m.c.Stat(name); e == nil && info.IsDir() {
				_ = file.Close()
				_ = m.out.Flush()
				fmt.Fprintf(m.c.Stderr, "%s: warning: command line argument `%s' is a directory: skipped\n", m.c.Name,
					name)
				return false
			}
		}
		if err != nil {
			m.global("ERRNO").v = str(command.Text(err))
			if len(m.prog.beginFile) > 0 {
				m.main = newReader(strings.NewReader(""), nil)
				if m.guarded(func() control { return m.all(m.prog.beginFile) }) == nextFiles {
					m.main = nil
					return false
				}
			}
			_ = m.out.Flush()
			fmt.Fprintf(m.c.Stderr, "%s: fatal: cannot open file `%s' for reading: %s\n", m.c.Name, name,
				command.Text(err))
			panic(stop(2))
		}
		m.main = newReader(file, func() int { _ = file.Close(); return 0 })
		if m.inplace {
			m.beginEdit(name)
		}
	}
	m.global("ERRNO").v = str("")
	switch m.guarded(func() control { return m.all(m.prog.beginFile) }) {
	case exits:
		panic(unwinding(exits))
	case nextFiles:
		m.endFile()
		return false
	}
	return true
}

// getline reads a record from somewhere, into a variable or $0. It returns 1, 0 at the end, or -1.
func (m *machine) getline(kind, name string, assign func(*machine, value)) int {
	var record, end string
	switch kind {
	case "":
		var ok bool
		if record, ok = m.nextRecord(); !ok {
			return 0
		}
		if assign != nil {
			assign(m, inputs(record))
		} else {
			m.setRecord(record)
		}
		return 1
	default:
		r := m.readers[name]
		if r == nil {
			if r = m.openReader(kind, name); r == nil {
				return -1
			}
			m.readers[name] = r
		}
		var ok bool
		record, end, ok = r.read(m)
		if !ok {
			if r.err != nil {
				return -1
			}
			return 0
		}
	}
	m.globals[m.endSlot].v = str(end)
	if kind == "|" {
		m.nr++
	}
	if assign != nil {
		assign(m, inputs(record))
	} else {
		m.setRecord(record)
	}
	return 1
}

func (m *machine) openReader(kind, name string) *reader {
	if kind == "<" {
		if name == "-" || name == "/dev/stdin" {
			return m.stdin
		}
		file, err := m.c.Open(name)
		if err != nil {
			m.global("ERRNO").v = str(command.Text(err))
			return nil
		}
		return newReader(file, func() int { _ = file.Close(); return 0 })
	}
	m.flush()
	// The command runs while its output is read.
	r, w := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- m.c.Run(command.Call{Args: []string{"sh", "-c", name}, Stdout: w})
		_ = w.Close()
	}()
	return newReader(r, func() int {
		_ = r.Close()
		return <-done
	})
}

// A writer is an open output.
type writer struct {
	*bufio.Writer
	closer func() int
}

// output returns the output to a file or command.
func (m *machine) output(redirect, name string) *bufio.Writer {
	if w := m.writers[name]; w != nil {
		return w.Writer
	}
	var w *writer
	switch {
	case redirect == "|" || redirect == "|&":
		if redirect == "|&" {
			panic(fatal("two-way pipes are not supported: use a file"))
		}
		m.flush()
		r, pw := io.Pipe()
		done := make(chan int, 1)
		go func() {
			done <- m.c.Run(command.Call{Args: []string{"sh", "-c", name}, Stdin: r})
			_ = r.Close()
		}()
		w = &writer{bufio.NewWriterSize(pw, 8192), func() int {
			_ = pw.Close()
			return <-done
		}}
	case name == "/dev/stdout" || name == "-":
		return m.out
	case name == "/dev/stderr":
		_ = m.out.Flush()
		w = &writer{bufio.NewWriterSize(m.c.Stderr, 16), nil}
	default:
		if name == "" {
			panic(fatal("expression for `" + redirect + "' redirection has null string value"))
		}
		mode := os.O_TRUNC
		if redirect == ">>" {
			mode = os.O_APPEND
		}
		file, err := m.c.OpenFile(name, os.O_WRONLY|os.O_CREATE|mode, 0o666)
		if err != nil {
			panic(fatal("cannot redirect to `" + name + "': " + command.Text(err)))
		}
		w = &writer{bufio.NewWriterSize(file, 32<<10), func() int { _ = file.Close(); return 0 }}
	}
	m.writers[name] = w
	m.order = append(m.order, name)
	return w.Writer
}

// flush writes what is in buffers, so that what a command writes comes after it.
func (m *machine) flush() {
	_ = m.out.Flush()
	for _, name := range m.order {
		_ = m.writers[name].Flush()
	}
}

// close closes a file or command, and returns its status, or -1 if it is not open.
func (m *machine) close(name string) int {
	status := -1
	if w := m.writers[name]; w != nil {
		delete(m.writers, name)
		for i, n := range m.order {
			if n == name {
				m.order = append(m.order[:i:i], m.order[i+1:]...)
				break
			}
		}
		_ = m.out.Flush()
		status = w.close()
	}
	if r := m.readers[name]; r != nil {
		delete(m.readers, name)
		status = 0
		if r != m.stdin {
			status = r.close()
		}
	}
	return status
}

func (w *writer) close() int {
	_ = w.Flush()
	if w.closer == nil {
		return 0
	}
	closer := w.closer
	w.closer = nil
	return closer()
}

// closeAll closes everything, in the order in which it was opened.
func (m *machine) closeAll() {
	_ = m.out.Flush()
	if m.edited != nil {
		m.finishEdit()
	}
	for _, name := range m.order {
		m.writers[name].close()
	}
	m.abandon()
}

// abandon closes everything, and forgets what is in buffers.
func (m *machine) abandon() {
	for _, name := range m.order {
		if w := m.writers[name]; w.closer != nil {
			closer := w.closer
			w.closer = nil
			closer()
		}
	}
	m.order, m.writers = nil, nil
	for _, r := range m.readers {
		if r != m.stdin {
			r.close()
		}
	}
	m.readers = nil
	if m.main != nil && m.main != m.stdin {
		m.main.close()
		m.main = nil
	}
}

// An edit is a file that the output replaces: see -i inplace.
type edit struct {
	name string
	out  *bufio.Writer
	buf  bytes.Buffer
}

func (m *machine) beginEdit(name string) {
	e := &edit{name: name, out: m.out}
	m.edited = e
	m.out = bufio.NewWriterSize(&e.buf, 32<<10)
}

func (m *machine) finishEdit() {
	e := m.edited
	m.edited = nil
	_ = m.out.Flush()
	m.out = e.out
	if err := m.c.WriteFile(e.name, e.buf.Bytes()); err != nil {
		panic(fatal("inplace: " + e.name + ": " + command.Text(err)))
	}
}
