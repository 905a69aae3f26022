package mcpclient

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// How long the end of a server takes at most.
const (
	// stdinGrace is what a server has to end after its input has, and termGrace what it has after it has been told to.
	stdinGrace = 2 * time.Second
	termGrace  = 2 * time.Second
	// drainTime is how long its output is read after it has ended, since others may hold it open.
	drainTime = time.Second
	// writeTime is how long it may take to read a message.
	writeTime = 30 * time.Second
)

// A process is a server that talks by its standard input and output.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	exited chan struct{}

	mu    sync.Mutex
	last  []string      // the last whole lines of its standard error
	heard chan struct{} // closed when that has ended

	stop  sync.Once
	ended chan struct{} // closed when nothing is left of it
}

// startProcess starts a server. Each line that it writes to its standard error goes to log.
func startProcess(config ServerConfig, environ []string, log func(line string)) (*process, error) {
	p := &process{exited: make(chan struct{}), heard: make(chan struct{}), ended: make(chan struct{})}
	p.cmd = exec.Command(config.Command, config.Args...)
	p.cmd.Dir, p.cmd.Env = config.Dir, environ
	ownGroup(p.cmd)
	var theirs []*os.File
	closeAll := func(files ...*os.File) {
		for _, file := range files {
			if file != nil {
				file.Close()
			}
		}
	}
	defer func() { closeAll(theirs...) }()
	var err error
	pipe := func(ours, given **os.File, reads bool) {
		if err != nil {
			return
		}
		var r, w *os.File
		if r, w, err = os.Pipe(); err != nil {
			return
		}
		if reads {
			*ours, *given = r, w
		} else {
			*ours, *given = w, r
		}
		theirs = append(theirs, *given)
	}
	var stdin, stdout, stderr *os.File
	pipe(&p.stdin, &stdin, false)
	pipe(&p.stdout, &stdout, true)
	pipe(&p.stderr, &stderr, true)
	if err == nil {
		p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = stdin, stdout, stderr
		err = p.cmd.Start()
	}
	if err != nil {
		closeAll(p.stdin, p.stdout, p.stderr)
		return nil, startError(config.Command, err)
	}
	go p.logStderr(log)
	go func() {
		_ = p.cmd.Wait()
		close(p.exited)
		time.AfterFunc(drainTime, p.close) // if the output does not end by itself
	}()
	return p, nil
}

// startError leaves out the arguments and the environment, which the system's error does not have, and the path that
// it has twice.
func startError(command string, err error) error {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		err = path.Err
	} else if found, ok := errors.AsType[*exec.Error](err); ok {
		err = found.Err
	}
	return fmt.Errorf("starting %q: %w", command, err)
}

// maxStderrLine is how much of a line of the standard error is logged.
const maxStderrLine = 1000

// maxLastBytes is how much of the standard error is kept, in whole lines and at least one, to say why a server has
// ended.
const maxLastBytes = 800

func (p *process) logStderr(log func(line string)) {
	defer close(p.heard)
	reader := bufio.NewReaderSize(p.stderr, maxStderrLine)
	cut := false
	for {
		line, err := reader.ReadSlice('\n')
		if !cut && len(line) > 0 {
			if !errors.Is(err, bufio.ErrBufferFull) { // half a line can end in half a secret, which nobody would find
				p.remember(string(line))
			}
			log(string(line))
		}
		cut = errors.Is(err, bufio.ErrBufferFull) // the rest of a long line is left out
		if err != nil && !cut {
			return
		}
	}
}

func (p *process) remember(line string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = append(p.last, line)
	size := 0
	for _, line := range p.last {
		size += len(line)
	}
	for len(p.last) > 1 && size > maxLastBytes {
		size -= len(p.last[0])
		p.last = p.last[1:]
	}
}

// explain adds to an error what the server has written to its standard error at last, which is where most say what is
// wrong. It is for a process of which nothing is left. The text can have secrets.
func (p *process) explain(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := strings.TrimSpace(strings.Join(p.last, ""))
	if text == "" {
		return err
	}
	return fmt.Errorf("%w; its standard error ends in: %s", err, text)
}

// transport is how the protocol's implementation talks to the process.
func (p *process) transport(f *filter, fail func(error)) sdk.Transport {
	reader := &lineReader{in: bufio.NewReaderSize(p.stdout, 64<<10), filter: f, fail: func(err error) {
		fail(err)
		p.stdout.Close() // so that it does not wait to write more
	}}
	return &sdk.IOTransport{
		Reader:        readCloser{reader, p.close},
		Writer:        &stdinWriter{p, fail},
		MaxLineLength: -1, // the filter has limited it
	}
}

type readCloser struct {
	io.Reader
	close func()
}

func (r readCloser) Close() error {
	r.close()
	return nil
}

// A stdinWriter gives up on a server that does not read.
type stdinWriter struct {
	*process
	fail func(error)
}

func (w *stdinWriter) Write(data []byte) (int, error) {
	timer := time.AfterFunc(writeTime, func() {
		w.fail(timeoutError("the server does not read what it is sent"))
		w.close()
	})
	defer timer.Stop()
	n, err := w.stdin.Write(data)
	if err != nil { // the server has closed the other end, if the reason is not known already
		w.fail(errLost)
	}
	return n, err
}

func (w *stdinWriter) Close() error {
	w.close()
	return nil
}

// close begins the end of the process, and does not wait for it. It closes the input first, as the protocol wants it.
func (p *process) close() {
	p.stop.Do(func() {
		p.stdin.Close()
		go io.Copy(io.Discard, p.stdout) // what it still has to say must not keep it from its end
		go func() {
			defer close(p.ended)
			for _, step := range []struct {
				grace  time.Duration
				signal func(*exec.Cmd)
			}{{stdinGrace, terminate}, {termGrace, kill}} {
				timer := time.NewTimer(step.grace)
				select {
				case <-p.exited:
				case <-timer.C:
					step.signal(p.cmd)
				}
				timer.Stop()
			}
			kill(p.cmd) // and what it has started and left behind
			timer := time.NewTimer(drainTime)
			select {
			case <-p.heard:
			case <-timer.C:
			}
			timer.Stop()
			p.stdout.Close()
			p.stderr.Close()
			<-p.exited
		}()
	})
}

// environment is what a process gets: a few variables, since others are nobody's business, and those of its
// configuration.
func environment(lookup func(string) (string, bool), env map[string]string) []string {
	environ := []string{} // with nil it would get all of them
	for _, name := range inherited {
		if _, given := env[name]; given || lookup == nil {
			continue
		}
		if value, ok := lookup(name); ok {
			environ = append(environ, name+"="+value)
		}
	}
	for name, value := range env {
		environ = append(environ, name+"="+value)
	}
	slices.Sort(environ)
	return environ
}
