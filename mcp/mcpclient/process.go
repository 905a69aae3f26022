package mcpclient

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// Limits on the time that stopping a server takes.
const (
	// stdinGrace is the time to exit after the end of its input, and termGrace the time to exit after SIGTERM.
	stdinGrace = 2 * time.Second
	termGrace  = 2 * time.Second
	// drainTime is how long its output is read after its exit, because other processes may hold it open.
	drainTime = time.Second
	// writeTime is how long the server may take to read a message.
	writeTime = 30 * time.Second
)

// A process is a server that communicates over its standard input and output.
type process struct {
	cmd    *exec.Cmd
	stdin  *os.File
	stdout *os.File
	stderr *os.File
	exited chan struct{}

	mu    sync.Mutex
	last  []string      // the last whole lines of its standard error
	heard chan struct{} // closed at the end of its standard error

	stop  sync.Once
	ended chan struct{} // closed when its group is gone
}

// startProcess starts a server in a directory, or in the one of its configuration. Each line of its standard error goes
// to log.
func startProcess(config ServerConfig, dir string, environ []string, log func(line string)) (*process, error) {
	p := &process{exited: make(chan struct{}), heard: make(chan struct{}), ended: make(chan struct{})}
	p.cmd = exec.Command(config.Command, config.Args...)
	if dir != "" && !filepath.IsAbs(config.Dir) {
		config.Dir = filepath.Join(dir, config.Dir)
	}
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

// startError removes the path that the system's error repeats. The error contains neither arguments nor environment.
func startError(command string, err error) error {
	if path, ok := errors.AsType[*os.PathError](err); ok {
		err = path.Err
	} else if found, ok := errors.AsType[*exec.Error](err); ok {
		err = found.Err
	}
	return fmt.Errorf("starting %q: %w", command, err)
}

// maxStderrLine limits the part of a line of standard error that is logged, in bytes.
const maxStderrLine = 1000

// maxLastBytes limits the standard error that is kept to explain a server's exit, in bytes. It consists of whole lines,
// at least one.
const maxLastBytes = 800

func (p *process) logStderr(log func(line string)) {
	defer close(p.heard)
	reader := bufio.NewReaderSize(p.stderr, maxStderrLine)
	cut := false
	for {
		line, err := reader.ReadSlice('\n')
		if !cut && len(line) > 0 {
			// a partial line could end in a part of a secret, which would not be redacted
			if !errors.Is(err, bufio.ErrBufferFull) {
				p.remember(string(line))
			}
			log(string(line))
		}
		cut = errors.Is(err, bufio.ErrBufferFull) // drop the rest of a long line
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

// explain adds the last lines of standard error to an error, because most servers report their problems there. All of
// the process must be gone. The text may contain secrets.
func (p *process) explain(err error) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := strings.TrimSpace(strings.Join(p.last, ""))
	if text == "" {
		return err
	}
	return fmt.Errorf("%w; its standard error ends in: %s", err, text)
}

// transport returns the SDK's transport to the process.
func (p *process) transport(f *filter, fail func(error)) sdk.Transport {
	reader := &lineReader{in: bufio.NewReaderSize(p.stdout, 64<<10), filter: f, fail: func(err error) {
		fail(err)
		p.stdout.Close() // so that the server cannot block while writing
	}}
	return &sdk.IOTransport{
		Reader:        readCloser{reader, p.close},
		Writer:        &stdinWriter{p, fail},
		MaxLineLength: -1, // the filter limits lines
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
	if err != nil { // the server closed the pipe, unless a reason is known
		w.fail(errLost)
	}
	return n, err
}

func (w *stdinWriter) Close() error {
	w.close()
	return nil
}

// close starts to end the process, without waiting. It closes the input first, as the protocol demands.
func (p *process) close() {
	p.stop.Do(func() {
		p.stdin.Close()
		go io.Copy(io.Discard, p.stdout) // pending output must not block the exit
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
			kill(p.cmd) // and the remaining processes of its group
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

// environment returns the environment of a process: the inherited variables and those of its configuration. Other
// variables stay hidden from it.
func environment(lookup func(string) (string, bool), env map[string]string) []string {
	environ := []string{} // nil would mean the whole environment
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
