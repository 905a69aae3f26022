package main

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/toolrun/toolrun/bench/protocol"
)

// tables are all that are wanted.
func (f *field) tables() ([]*table, error) {
	programs := &table{id: "programs", title: "Programs in JavaScript", base: oursID}
	if err := f.addPrograms(programs, "", ".js", "fib loop map sort json string regexp patterns float"); err != nil {
		return nil, err
	}
	pythons, err := f.pythonTables()
	if err != nil {
		return nil, err
	}
	shells, err := f.shells()
	if err != nil {
		return nil, err
	}
	suite, err := f.suite()
	if err != nil {
		return nil, err
	}
	all := []*table{f.start(), f.library(), f.callers(), f.late(), f.memory(), programs, suite}
	all = append(append(all, pythons...), shells)
	var wanted []*table
	for _, t := range all {
		for _, c := range f.contestants {
			if f.only.MatchString(t.id+"/"+c.id) && c.in(t) && len(t.columns) > 0 {
				wanted = append(wanted, t)
				break
			}
		}
	}
	return wanted, nil
}

// much is a number, or another one if there is little time.
func (f *field) much(n, quick int) int {
	if f.quick {
		return quick
	}
	return n
}

func times(r protocol.Response) []float64 {
	var values []float64
	for _, t := range r.Times {
		values = append(values, t.Seconds())
	}
	return values
}

func (f *field) start() *table {
	request := protocol.Request{Op: protocol.OpCall, Body: "return 1", Want: "1"}
	return &table{
		id: "start", title: "A fresh sandbox for `return 1`", base: oursID, format: formatTime, fresh: true,
		about: "The time of each of many calls in sequence. A call makes a sandbox, runs the code, returns its " +
			"result as text, and frees the sandbox.",
		columns: []*column{{
			name: "time", warm: withCount(request, f.much(100, 1)), request: withCount(request, f.much(200, 2)),
			values: times,
		}},
	}
}

// withCount is the request to do something so many times.
func withCount(r protocol.Request, count int) protocol.Request {
	r.Count = count
	return r
}

func (f *field) library() *table {
	t := &table{
		id: "library", title: "A fresh sandbox with lodash", base: oursRegistryID, format: formatTime,
		about: "The same for `return JSON.stringify(_.chunk([1, 2, 3], 2))`, after evaluating lodash in the " +
			"fresh sandbox. In the first call the process has not seen the library before. In later calls " +
			"every contestant uses what it has for that case: toolrun its automatic cache of the files in " +
			"`/lib`; goja, fastschema/qjs and modernc.org/quickjs compiled code; quickjs-wasi a snapshot.",
	}
	if f.nodeDir == "" {
		f.notes = append(f.notes, "lodash comes from npm, so the table with it is left out.")
		return t
	}
	request := protocol.Request{
		Op: protocol.OpCall, Library: filepath.Join(f.nodeDir, "node_modules", "lodash", "lodash.js"),
		Body: "return JSON.stringify(_.chunk([1, 2, 3], 2))", Want: "[[1,2],[3]]",
	}
	first := request
	first.New = true
	t.columns = []*column{
		{name: "first call", warm: withCount(first, 1), request: withCount(first, f.much(5, 1)), values: times},
		{name: "later calls", warm: withCount(request, 3), request: withCount(request, f.much(40, 2)), values: times},
	}
	return t
}

func (f *field) callers() *table {
	t := &table{
		id: "callers", title: "Calls at the same time", base: oursID, higher: true,
		format: func(v float64) string { return fmt.Sprintf("%.0f/s", v) },
		about: "How many calls of `return 1` in fresh sandboxes are made per second, by one or more concurrent " +
			"callers. Contestants in Node run on one thread, so they have only one caller.",
	}
	for _, callers := range []int{1, 2, 8, 64} {
		col := f.calledBy(callers, func(r protocol.Response) float64 { return r.Rate })
		if callers > 1 {
			var parallel []string
			for _, c := range f.contestants {
				if !c.node {
					parallel = append(parallel, c.id)
				}
			}
			col.only = strings.Join(parallel, " ")
		}
		t.columns = append(t.columns, col)
	}
	return t
}

func (f *field) late() *table {
	t := &table{
		id: "late", title: "The latest of calls at the same time", base: oursID, format: formatTime,
		about: "The time in which 99 in 100 of these calls return.",
	}
	for _, callers := range []int{8, 64} {
		t.columns = append(t.columns, f.calledBy(callers,
			func(r protocol.Response) float64 { return r.Within.Seconds() }))
	}
	return t
}

// calledBy is a column of calls of `return 1` by some callers at the same time.
func (f *field) calledBy(callers int, value func(protocol.Response) float64) *column {
	call := protocol.Request{Op: protocol.OpCall, Body: "return 1", Want: "1", Count: 1}
	calls := call
	calls.Op, calls.Callers = protocol.OpCallers, callers
	calls.Duration = time.Duration(f.much(1000, 20)) * time.Millisecond
	return &column{name: fmt.Sprint(callers), warm: call, request: calls,
		values: func(r protocol.Response) []float64 { return []float64{value(r)} }}
}

func (f *field) memory() *table {
	bytes := func(r protocol.Response) []float64 { return []float64{r.Bytes} }
	idle := protocol.Request{Op: protocol.OpHold, Count: f.much(1000, 10)}
	active := idle
	active.Body = "const rows = []; for (let i = 0; i < 1000; i++) rows.push({id: i, name: 'row ' + i}); " +
		"await wait(); return rows.length"
	return &table{
		id: "memory", title: "Memory", base: oursID, format: formatBytes, rounds: 1,
		about: fmt.Sprintf("The memory of a sandbox when %d exist besides the first one. What they share counts once. "+
			"An idle sandbox has not run anything; toolrun keeps no such sandboxes, "+
			"so its idle ones have only called a Go function that does not return. An active sandbox "+
			"is in the middle of a script that has made an array of 1000 objects and waits for a promise.", idle.Count),
		columns: []*column{
			{name: "idle", request: idle, values: bytes, alone: true, fewer: true},
			{name: "active", request: active, values: bytes, alone: true, fewer: true},
		},
	}
}

// addPrograms makes a table one of programs in a folder of bench/programs.
func (f *field) addPrograms(t *table, folder, suffix, names string) error {
	folder = path.Join("programs", folder)
	t.mean, t.format, t.fresh = true, formatTime, true
	t.about = "How long the programs in `bench/" + folder + "` take, without the start of the sandbox: the median, " +
		"and the ratio to toolrun. The last column is the geometric mean of the ratios. All contestants must compute " +
		"the same results."
	for name := range strings.FieldsSeq(names) {
		path, err := filepath.Abs(filepath.Join(folder, name+suffix))
		if err != nil {
			return err
		}
		t.columns = append(t.columns, &column{name: name, same: true, values: times, request: protocol.Request{
			Op: protocol.OpProgram, Body: "main()", Sources: []string{path}, Warm: f.much(1, 0), Count: f.much(3, 1),
		}})
	}
	return nil
}

func (f *field) suite() (*table, error) {
	const milliseconds = 250
	t := &table{
		id: "v8", title: "The V8 benchmark suite, version 7", base: oursID, higher: true, mean: true, fresh: true,
		format: func(v float64) string { return fmt.Sprintf("%.0f", v) },
		about: fmt.Sprintf("The scores of the suite's benchmarks by its own formula; more is better. In parentheses "+
			"is toolrun's score divided by the contestant's, and in the last column the geometric mean of these "+
			"ratios. Unlike in the suite's own program, each benchmark has its own sandbox, and runs for %d ms to "+
			"warm up and as long to be measured, instead of a second each, so that all can take turns.", milliseconds),
	}
	driver, err := filepath.Abs(filepath.Join("v8suite", "driver.js"))
	if err != nil {
		return nil, err
	}
	names := []string{"richards", "deltablue", "navier-stokes", "crypto", "raytrace", "earley-boyer", "regexp", "splay"}
	for _, name := range names[:f.much(len(names), 3)] { // the others take seconds for a single turn
		file := filepath.Join(f.suiteDir, name+".js")
		if _, err := os.Stat(file); err != nil {
			return nil, err
		}
		t.columns = append(t.columns, &column{
			name: name, values: score,
			request: protocol.Request{
				Op: protocol.OpProgram, Body: fmt.Sprintf("run(%d)", f.much(milliseconds, 0)),
				Sources: []string{filepath.Join(f.suiteDir, "base.js"), file, driver}, Count: 1,
			},
		})
	}
	return t, nil
}

// score is the value of the driver of the V8 benchmark suite.
func score(r protocol.Response) []float64 {
	var value float64
	if _, err := fmt.Sscan(r.Text, &value); err != nil {
		return nil
	}
	return []float64{value}
}
