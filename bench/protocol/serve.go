package protocol

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

// Engine is an engine as its users use it. What is nil it cannot do.
type Engine struct {
	// Version is the version of its module.
	Version string
	// Call evaluates a library, which can be empty, and the body of a function in a fresh sandbox, and returns the
	// function's result as text. Of Python and shells it returns what the program prints. It is called by many at the
	// same time.
	Call func(body, library string) (string, error)
	// Hold starts a sandbox and leaves it in the middle of the body of an async function. Release ends it.
	Hold func(body string) (release func(), err error)
	// Program evaluates scripts in a fresh sandbox, and an expression warm times and count times more, and returns how
	// long each of the latter took, and its value as text.
	Program func(sources []string, expression string, warm, count int) (times []time.Duration, text string, err error)
}

// Serve answers requests until there are no more.
func Serve(e Engine, in io.Reader, out io.Writer) error {
	requests, responses := json.NewDecoder(bufio.NewReader(in)), json.NewEncoder(out)
	for {
		var request Request
		if err := requests.Decode(&request); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		response, err := e.serve(request)
		if err != nil {
			response = Response{Error: err.Error()}
		}
		if err := responses.Encode(response); err != nil {
			return err
		}
	}
}

func (e Engine) serve(r Request) (Response, error) {
	runtime.GC() // what is left of the last request is not this one's
	switch {
	case r.Op == OpVersion:
		return Response{Version: e.Version}, nil
	case r.Op == OpCall && e.Call != nil:
		return e.calls(r)
	case r.Op == OpCallers && e.Call != nil:
		return e.callers(r)
	case r.Op == OpHold && e.Hold != nil:
		return e.hold(r)
	case r.Op == OpProgram && e.Program != nil:
		return e.program(r)
	}
	return Response{}, fmt.Errorf("cannot do %q", r.Op)
}

func (e Engine) check(r Request, library string) error {
	text, err := e.Call(r.Body, library)
	if err == nil && text != r.Want {
		err = fmt.Errorf("the result is %q instead of %q", text, r.Want)
	}
	return err
}

var libraries int // how many new ones there have been

func (e Engine) calls(r Request) (Response, error) {
	var response Response
	library := ""
	if r.Library != "" {
		source, err := os.ReadFile(r.Library)
		if err != nil {
			return response, err
		}
		library = string(source)
	}
	for range r.Count {
		text := library
		if r.New {
			libraries++
			text += fmt.Sprintf("\n// %d\n", libraries)
		}
		start := time.Now()
		err := e.check(r, text)
		response.Times = append(response.Times, time.Since(start))
		if err != nil {
			return response, err
		}
	}
	return response, nil
}

func (e Engine) callers(r Request) (Response, error) {
	var wg sync.WaitGroup
	took, errs := make([][]time.Duration, r.Callers), make([]error, r.Callers)
	start := time.Now()
	for i := range r.Callers {
		wg.Go(func() {
			for errs[i] == nil && time.Since(start) < r.Duration {
				began := time.Now()
				errs[i] = e.check(r, "")
				took[i] = append(took[i], time.Since(began))
			}
		})
	}
	wg.Wait()
	elapsed := time.Since(start)
	all := slices.Concat(took...)
	slices.Sort(all)
	return Response{Rate: float64(len(all)) / elapsed.Seconds(), Within: all[len(all)*99/100]}, errors.Join(errs...)
}

func (e Engine) hold(r Request) (Response, error) {
	var releases []func()
	defer func() {
		for _, release := range releases {
			release()
		}
	}()
	start := func() error {
		release, err := e.Hold(r.Body)
		if err == nil {
			releases = append(releases, release)
		}
		return err
	}
	if err := start(); err != nil {
		return Response{}, err
	}
	before, known := memory()
	for range r.Count {
		if err := start(); err != nil {
			return Response{}, fmt.Errorf("after %d: %w", len(releases), err)
		}
	}
	after, _ := memory()
	return Response{Bytes: float64(after-before) / float64(r.Count), Unmeasured: !known}, nil
}

// memory is what the process holds, in bytes, without what it could give back. What is mapped several times counts
// once.
func memory() (bytes int64, known bool) {
	debug.FreeOSMemory()
	data, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		return 0, false
	}
	_, rest, _ := strings.Cut(string(data), "\nPss:")
	var kilobytes int64
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		return 0, false
	}
	return kilobytes << 10, true
}

func (e Engine) program(r Request) (response Response, err error) {
	sources, err := ReadFiles(r.Sources)
	if err != nil {
		return response, err
	}
	response.Times, response.Text, err = e.Program(sources, r.Body, r.Warm, r.Count)
	return response, err
}

// ReadFiles reads files of text.
func ReadFiles(names []string) ([]string, error) {
	var texts []string
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(data))
	}
	return texts, nil
}

// Measure calls eval warm times, and count times more, and returns how long each of the latter took, and what the last
// returned.
func Measure(warm, count int, eval func() (string, error)) (times []time.Duration, text string, err error) {
	for i := range warm + count {
		start := time.Now()
		text, err = eval()
		if took := time.Since(start); i >= warm {
			times = append(times, took)
		}
		if err != nil {
			return nil, "", err
		}
	}
	return times, text, nil
}

// Function makes an expression of the body of a function that has no arguments, and calls it.
func Function(body string) string { return "(function () {\n" + body + "\n})()" }

// Holder makes a script of the body of an async function, and defines the function wait for it. The promise could be
// settled, so that nothing that comes after it is garbage. The script's value is 1.
func Holder(body string) string {
	return "function wait() { return new Promise(function (resolve) { globalThis.settle = resolve }) }\n" +
		"(async function () {\n" + body + "\n})();\n1"
}
