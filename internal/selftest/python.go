package selftest

import (
	"context"
	"errors"
	"fmt"
	"slices"

	sandbox "github.com/toolrun/toolrun/runtime"
	py "github.com/toolrun/toolrun/runtime/python"
	"github.com/toolrun/toolrun/vfs"
)

// attemptPython runs a script in Python, and then a correct one.
func attemptPython(ctx context.Context, script Attack, options Options) Outcome {
	if options.Python == nil {
		return Outcome{Attack: script.Name, Wrong: "there is no Python"}
	}
	return attemptCode(ctx, script, options, func(project vfs.Project, limits sandbox.Limits) string {
		return pythonEnding(options.Python.Run(ctx, script.Source, &py.RunOptions{
			Name: script.Name + ".py", Files: project, Limits: limits,
		}))
	}, func(project vfs.Project) error {
		if err := checkPython(ctx, options.Python, project, correctPython, correctPythonResult); err != nil {
			return err
		}
		if script.Family() == dataFamily {
			return checkPython(ctx, options.Python, project, correctData, correctDataResult)
		}
		return nil
	})
}

// checkPython runs correct code.
func checkPython(ctx context.Context, python *py.Interpreter, project vfs.Project, code, want string) error {
	result, err := python.Run(ctx, code, &py.RunOptions{Files: project, Limits: sandbox.Limits{Time: patience}})
	if err != nil || result.Text != want {
		return fmt.Errorf("correct code did not work after it: %q, %v", result.Text, err)
	}
	return nil
}

// correctPython uses a bit of everything that hostile code may have broken.
const correctPython = `
import json, re, sqlite3, os
with open('/a', 'w') as f: f.write(json.dumps({'sorted': sorted([3, 1, 2]), 'text': 'é'}))
db = sqlite3.connect(':memory:')
[json.load(open('a')), re.sub('[0-9]', lambda m: str(int(m[0]) * 2), 'a1b2'),
	db.execute('select 6 * 7').fetchone(), os.getcwd()]`

const correctPythonResult = "[{'sorted': [1, 2, 3], 'text': 'é'}, 'a2b4', (42,), '/']"

// correctData does the same with NumPy and pandas.
const correctData = `
import numpy as np
import pandas as pd
[int(np.arange(10).sum()), np.linalg.inv(np.eye(2)).tolist(),
	pd.DataFrame({'a': [1, 1], 'b': [2, 3]}).groupby('a').b.sum().tolist()]`

const correctDataResult = "[45, [[1.0, 0.0], [0.0, 1.0]], [5]]"

// pythonEnding is [Ending] for Python. A crash of the interpreter is "crash".
func pythonEnding(result *py.Result, err error) string {
	if err == nil {
		return "returns " + result.Text
	}
	if limit, ok := errors.AsType[*sandbox.LimitError](err); ok && slices.Contains(limits, limit.Limit) {
		return string(limit.Limit) + " limit"
	}
	if script, ok := errors.AsType[*py.ScriptError](err); ok {
		return "exception " + script.Type
	}
	if exit, ok := errors.AsType[*py.ExitError](err); ok {
		return fmt.Sprintf("exits %d", exit.Code)
	}
	if _, ok := errors.AsType[*sandbox.CrashError](err); ok {
		return crashes
	}
	return err.Error()
}
