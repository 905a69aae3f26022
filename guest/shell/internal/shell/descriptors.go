package shell

import (
	"crypto/rand"
	"io"
	"io/fs"
	"os"
	"strconv"
	"strings"
	"syscall"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// maxFD is the highest file descriptor.
const maxFD = 1023

// fd returns what a descriptor refers to, or nil.
func (sh *Shell) fd(n int) *description {
	if n < 0 || n >= len(sh.fds) {
		return nil
	}
	return sh.fds[n]
}

// setFD makes a descriptor refer to a description, which it takes over, or to nothing.
func (sh *Shell) setFD(n int, d *description) {
	if old := sh.swapFD(n, d); old != nil {
		old.release()
	}
}

func (sh *Shell) swapFD(n int, d *description) (old *description) {
	for len(sh.fds) <= n {
		sh.fds = append(sh.fds, nil)
	}
	old = sh.fds[n]
	sh.fds[n] = d
	return old
}

// freeFD returns a descriptor that is closed.
func (sh *Shell) freeFD(from int) int {
	for sh.fd(from) != nil {
		from++
	}
	return from
}

// reader and writer are a descriptor as a stream of a process.
func (sh *Shell) reader(n int, p *process) io.Reader {
	if d := sh.fd(n); d != nil {
		return stream{d, p}
	}
	return closed{}
}

func (sh *Shell) writer(n int, p *process) io.Writer {
	if d := sh.fd(n); d != nil {
		return stream{d, p}
	}
	return closed{}
}

// closed is a stream that is closed.
type closed struct{}

func (closed) Read([]byte) (int, error)  { return 0, syscall.EBADF }
func (closed) Write([]byte) (int, error) { return 0, syscall.EBADF }
func (closed) Close() error              { return nil }

// device opens what is in /dev.
func (sh *Shell) device(name string, flag int) (command.File, error) {
	number := -1
	switch name {
	case "/dev/stdin":
		number = 0
	case "/dev/stdout":
		number = 1
	case "/dev/stderr":
		number = 2
	case "/dev/zero":
		return zero{}, nil
	case "/dev/full":
		return full{}, nil
	case "/dev/random", "/dev/urandom":
		return random{}, nil
	case "/dev/tty":
		return nil, &fs.PathError{Op: "open", Path: name, Err: errNoDevice}
	default:
		if n, ok := strings.CutPrefix(name, "/dev/fd/"); ok {
			if i, err := strconv.Atoi(n); err == nil {
				number = i
			}
		}
	}
	d := sh.fd(number)
	if d == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.ENOENT}
	}
	return &reference{stream: stream{d.keep(), sh.process}}, nil
}

type noDevice struct{}

func (noDevice) Error() string { return "No such device or address" }

var errNoDevice error = noDevice{}

type zero struct{ closed }

func (zero) Read(data []byte) (int, error)  { clear(data); return len(data), nil }
func (zero) Write(data []byte) (int, error) { return len(data), nil }

type full struct{ zero }

func (full) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

type random struct{ zero }

func (random) Read(data []byte) (int, error) { return rand.Read(data) }

// undo is how redirections are taken back: what descriptors referred to.
type undo []struct {
	fd  int
	old *description
}

// restore takes redirections back.
func (sh *Shell) restore(u undo) {
	for i := len(u) - 1; i >= 0; i-- {
		sh.setFD(u[i].fd, u[i].old)
	}
}

// keep makes redirections stay.
func (u undo) keep() {
	for _, was := range u {
		if was.old != nil {
			was.old.release()
		}
	}
}

// redirect does redirections. It returns false if one of them fails, after having taken back the others.
func (sh *Shell) redirect(redirs []*syntax.Redirect) (u undo, ok bool) {
	done := false
	defer func() {
		if !done {
			sh.restore(u)
			u = nil
		}
	}()
	point := func(fd int, d *description) {
		u = append(u, struct {
			fd  int
			old *description
		}{fd, sh.swapFD(fd, d)})
	}
	for _, r := range redirs {
		if !sh.redirectOne(r, point) {
			return u, false
		}
	}
	done = true
	return u, true
}

func (sh *Shell) redirectOne(r *syntax.Redirect, point func(int, *description)) bool {
	fd, variable := 1, ""
	switch r.Op {
	case syntax.RdrIn, syntax.RdrInOut, syntax.DplIn, syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		fd = 0
	}
	if r.N != nil {
		if name, ok := strings.CutPrefix(r.N.Value, "{"); ok {
			variable = strings.TrimSuffix(name, "}")
		} else {
			n, err := strconv.Atoi(r.N.Value)
			if err != nil || n > maxFD {
				sh.errorf("%s: Bad file descriptor", r.N.Value)
				return false
			}
			fd = n
		}
	}
	set := func(d *description) bool {
		if variable != "" && sh.bare {
			d.release() // without a command, it is closed at once
			return true
		}
		if variable != "" {
			// Such a descriptor stays open after the command.
			fd = sh.freeFD(10)
			sh.setFD(fd, d)
			sh.assign(variable, strconv.Itoa(fd))
			return true
		}
		point(fd, d)
		return true
	}
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		return set(newDescription(&text{data: sh.hereDocument(r)}))
	case syntax.WordHdoc:
		return set(newDescription(&text{data: sh.literal(r.Word) + "\n"}))
	}
	fields := sh.expandWord(r.Word)
	if len(fields) != 1 {
		sh.errorf("%s: ambiguous redirect", source(r.Word))
		return false
	}
	target := fields[0]
	switch r.Op {
	case syntax.DplIn, syntax.DplOut:
		return sh.duplicate(r, target, fd, variable, set, point)
	case syntax.RdrAll, syntax.AppAll:
		flag := os.O_WRONLY | os.O_CREATE | os.O_TRUNC
		if r.Op == syntax.RdrAll && sh.clobbers(target) {
			return false
		}
		if r.Op == syntax.AppAll {
			flag = os.O_WRONLY | os.O_CREATE | os.O_APPEND
		}
		d := sh.open(target, flag)
		if d == nil {
			return false
		}
		point(1, d)
		point(2, d.keep())
		return true
	}
	flag := os.O_RDONLY
	switch r.Op {
	case syntax.RdrOut, syntax.RdrClob:
		flag = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
		if r.Op == syntax.RdrOut && sh.clobbers(target) {
			return false
		}
	case syntax.AppOut:
		flag = os.O_WRONLY | os.O_CREATE | os.O_APPEND
	case syntax.RdrInOut:
		flag = os.O_RDWR | os.O_CREATE
	}
	d := sh.open(target, flag)
	return d != nil && set(d)
}

// clobbers says whether a redirection would overwrite a file that it must not, after "set -C".
func (sh *Shell) clobbers(name string) bool {
	if !sh.options.on['C'] {
		return false
	}
	info, err := sh.files.Stat(name)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	sh.errorf("%s: cannot overwrite existing file", name)
	return true
}

// duplicate does ">&" and "<&".
func (sh *Shell) duplicate(r *syntax.Redirect, target string, fd int, variable string, set func(*description) bool,
	point func(int, *description)) bool {
	if target == "-" {
		if variable != "" {
			n, _ := strconv.Atoi(sh.value(variable))
			sh.setFD(n, nil)
			return true
		}
		point(fd, nil)
		return true
	}
	number, move := strings.CutSuffix(target, "-")
	n, err := strconv.Atoi(number)
	if err != nil {
		if r.Op == syntax.DplOut && r.N == nil {
			// As "&>".
			d := sh.open(target, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
			if d == nil {
				return false
			}
			point(1, d)
			point(2, d.keep())
			return true
		}
		sh.errorf("%s: ambiguous redirect", target)
		return false
	}
	d := sh.fd(n)
	if d == nil {
		sh.errorf("%d: Bad file descriptor", n)
		return false
	}
	set(d.keep())
	if move && n != fd {
		point(n, nil)
	}
	return true
}

// open opens a file for a redirection, or reports why not and returns nil.
func (sh *Shell) open(name string, flag int) *description {
	file, err := sh.files.OpenFile(name, flag, 0o666)
	if err != nil {
		sh.errorf("%s: %s", name, command.Text(err))
		return nil
	}
	if ref, ok := file.(*reference); ok {
		// The descriptor itself, so that both have one position.
		return ref.d
	}
	return newDescription(file)
}

// hereDocument returns the text of a here-document.
func (sh *Shell) hereDocument(r *syntax.Redirect) string {
	if r.Hdoc == nil {
		return ""
	}
	word := r.Hdoc
	if r.Op == syntax.DashHdoc {
		word = withoutTabs(word)
	}
	for _, part := range r.Word.Parts {
		switch part := part.(type) {
		case *syntax.SglQuoted, *syntax.DblQuoted:
			return word.Lit()
		case *syntax.Lit:
			if strings.Contains(part.Value, "\\") {
				return word.Lit()
			}
		}
	}
	return sh.document(word)
}

// withoutTabs removes the tabs at the beginning of lines.
func withoutTabs(word *syntax.Word) *syntax.Word {
	out := &syntax.Word{}
	first := true
	for _, part := range word.Parts {
		lit, ok := part.(*syntax.Lit)
		if !ok {
			out.Parts = append(out.Parts, part)
			first = false
			continue
		}
		lines := strings.SplitAfter(lit.Value, "\n")
		for i := range lines {
			if i > 0 || first {
				lines[i] = strings.TrimLeft(lines[i], "\t")
			}
		}
		out.Parts = append(out.Parts, &syntax.Lit{Value: strings.Join(lines, "")})
		first = strings.HasSuffix(lit.Value, "\n")
	}
	return out
}

// source returns a node as it is written.
func source(node syntax.Node) string {
	var b strings.Builder
	_ = syntax.NewPrinter().Print(&b, node)
	return b.String()
}
