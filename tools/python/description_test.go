package python_test

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pythontest"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/tools/python"
)

// A claim shows that a sentence of the description is true: code, and what its result must match. A sentence that only
// advises has none.
type claim struct{ code, want string }

// claims has the sentences of the description.
var claims = map[string][]claim{
	"Runs Python 3 in a sandbox, and returns what the code printed and the value of its last expression": {
		{"print('a')\n6 * 7", "^a\n=== Result ===\n42$"},
		{"import sys\nsys.version_info[0]", "^3$"},
	},
	"The code runs as in a notebook: the value of the last expression is the result, `await` works outside of " +
		"functions": {
		{"x = 5\nx", "^5$"},
		{"import asyncio\nawait asyncio.sleep(0, 'slept')", "^'slept'$"},
	},
	"Each call gets a fresh sandbox: nothing is kept from one call to the next but files": {
		{"kept = 1\nopen('/kept', 'w').write('1')", "^1\n"},
		{"import os\n'kept' in globals(), os.path.exists('/kept')", `^\(False, True\)$`},
	},
	"Each call gets a fresh sandbox: nothing is kept from one call to the next": {
		{"kept = 1", ""},
		{"'kept' in globals()", "^False$"},
	},
	"Top-level variables, functions, classes and imports stay from call to call, until no call has used them for 30 " +
		"days; files that are open are closed at the end of each call": {
		{"import json\nkept = 1\ndef f(): return kept + 1\nclass C: x = 5\nopened = open('/kept', " +
			"'w')\nopened.write('1')", "^1\n"},
		{"json.dumps([kept, f(), C.x, opened.closed, open('/kept').read()])", `^'\[1, 2, 5, true, "1"\]'$`},
	},
	"If a call fails, variables are as they were before it": {
		{"kept = 1\nopen('/kept', 'w').write('1')", "^1\n"},
		{"kept = 2\nopen('/kept', 'w').write('2')\n1 / 0",
			`(?s)ZeroDivisionError.*\nNote: the call failed, so the session's variables are as they were before it.$`},
		{"kept, open('/kept').read()", `^\(1, '2'\)$`},
	},
	"If a call fails, variables and files are as they were before it": {
		{"kept = 1\nopen('/kept', 'w').write('1')", "^1\n"},
		{"kept = 2\nopen('/kept', 'w').write('2')\n1 / 0",
			`(?s)ZeroDivisionError.*\nNote: all changes that the call made to files were undone.$`},
		{"kept, open('/kept').read()", `^\(1, '1'\)$`},
	},
	"If a call fails, files are as they were before it": {
		{"open('/kept', 'w').write('1')", "^1\n"},
		{"open('/kept', 'w').write('2')\n1 / 0",
			`(?s)ZeroDivisionError.*\nNote: all changes that the call made to files were undone.$`},
		{"open('/kept').read()", "^'1'$"},
	},
	"An exception that is not caught is an error with its traceback": {
		{"def f():\n    return {}['k']\nf()", `(?s)^Traceback .*in f\n    return \{\}\['k'\]\n.*KeyError: 'k'$`},
	},
	"There is the standard library: json, csv, re, math, statistics, decimal, fractions, random, datetime, zoneinfo, " +
		"collections, itertools, functools, dataclasses, pathlib, sqlite3, zipfile, hashlib, base64, html, " +
		"xml.etree.ElementTree, urllib.parse, tomllib, difflib, textwrap, unittest and others": {
		{"import json, csv, re, math, statistics, decimal, fractions, random, datetime, zoneinfo, collections, " +
			"itertools, functools, dataclasses, pathlib, sqlite3, zipfile, hashlib, base64, html, " +
			"xml.etree.ElementTree, urllib.parse, tomllib, difflib, textwrap, unittest\n1", "^1$"},
		{"import zoneinfo, datetime\nstr(datetime.datetime(2024, 7, 1, tzinfo=zoneinfo.ZoneInfo('Europe/Berlin')))",
			`^'2024-07-01 00:00:00\+02:00'$`},
		{"import sqlite3\nsqlite3.connect(':memory:').execute('select 42').fetchall()", `^\[\(42,\)\]$`},
	},
	"asyncio works, and threads run one after the other; subprocesses, sockets and input() do not work": {
		{"import asyncio\nasync def f(n):\n    await asyncio.sleep(0.001)\n    return n\nasync def main():\n    " +
			"return await asyncio.gather(f(1), f(2))\nasyncio.run(main())", `^\[1, 2\]$`},
		{"import threading\nt = threading.Thread(target=print, args=[42])\nt.start()\nt.join()\nprint(43)", "42\n43"},
		{"import subprocess\nsubprocess.run('ls')", "There are no other processes"},
		{"import socket\nsocket.create_connection(('example.com', 80))", "There is no network"},
		{"input()", "EOFError"},
	},
	"Files are those of the project, at /, which is the working directory: `open('/data/sales.csv')`": {
		{"import os\nos.getcwd(), open('/data/sales.csv').read(), open('data/sales.csv').read()",
			`^\('/', 'a,b', 'a,b'\)$`},
		{"import os\nos.path.exists('/etc/passwd')", "^False$"},
	},
	"pathlib, os, shutil, csv, zipfile and sqlite3 work on them": {
		{"from pathlib import Path\nPath('/data/sales.csv').read_text()", "^'a,b'$"},
		{"import shutil, os\nshutil.copy('/data/sales.csv', '/copy')\nos.listdir('/data')", `^\['sales.csv'\]\n`},
		{"import csv\nlist(csv.reader(open('/data/sales.csv')))", `^\[\['a', 'b'\]\]$`},
		{"import zipfile\nwith zipfile.ZipFile('/z.zip', 'w') as z: " +
			"z.write('/data/sales.csv')\nzipfile.ZipFile('/z.zip').namelist()", `^\['data/sales.csv'\]\n`},
		{"import sqlite3\nwith sqlite3.connect('/t.db') as db: db.execute('create table t " +
			"(x)')\nsqlite3.connect('/t.db').execute('select count(*) from t').fetchone()", `^\(0,\)\n`},
	},
	"Everything under /memories is read-only": {
		{"open('/memories/note.md').read()", "^'remember'$"},
		{"open('/memories/note.md', 'w')", "Read-only file system"},
		{"import shutil\nshutil.rmtree('/memories')", "Read-only file system"},
	},
	"The result says which files were created, changed or deleted": {
		{"open('/said', 'w').write('x')", `\nFiles: created /said$`},
		{"open('/said', 'a').write('y')", `\nFiles: changed /said$`},
		{"import os\nos.remove('/said')", `Files: deleted /said$`},
	},
	"`import x` finds /x.py, and packages of pure Python in /lib/python": {
		{"import y\ny.y", "^'y'$"},
		{"import pkg.part\npkg.part.z", "^'z'$"},
	},
	"There are no files": {
		{"import os\nos.listdir('/')", `^\[\]`},
		{"open('/a', 'w')", `^Traceback`},
	},
	"Code can call the other tools: `tools.NAME(key=value)`, 100 times in one run at most": {
		{"tools.filesystem(command='view', path='/data/sales.csv')",
			`^"Here's the content of /data/sales.csv .*a,b"\nTool calls: filesystem 1$`},
		{"tools.filesystem({'command': 'view', 'path': '/'})[:4]", `^'Here'\nTool calls: filesystem 1$`},
		{"n = 0\ntry:\n    while True:\n        tools.filesystem(command='view', path='/')\n        n += 1\nexcept " +
			"ToolError as e:\n    n = (n, e.code)\nn", `^\(100, 'too_many_calls'\)\n`},
	},
	"A call waits and gives what the tool returns, text or a dictionary": {
		{"type(tools.filesystem(command='view', path='/'))", `^<class 'str'>\n`},
		{"tools.facts()['n'] + 1", `^43\n`},
	},
	"`await tools.NAME(...)` works as well, and `await asyncio.gather(tools.A(...), tools.B(...))` makes calls at " +
		"the same time": {
		{"(await tools.facts())['n'] + 1", `^43\nTool calls: facts 1$`},
		{"async def main():\n    return await tools.facts()\nimport asyncio\nasyncio.run(main())",
			`^\{'n': 42\}\nTool calls: facts 1$`},
		{"import asyncio\nawait asyncio.gather(tools.meet(), tools.meet())", `^\['met', 'met'\]\nTool calls: meet 2$`},
		{"import asyncio\ncalls = [tools.meet() for i in range(2)]\nawait asyncio.gather(*calls)",
			`^\['met', 'met'\]\nTool calls: meet 2$`},
		{"import asyncio\nr = await asyncio.gather(*[tools.facts() for i in range(101)], " +
			"return_exceptions=True)\n[e.code for e in r if isinstance(e, ToolError)]",
			`^\['too_many_calls'\]\nTool calls: facts 100; 1 more were refused$`},
	},
	"A call that fails raises ToolError with the tool's text and a `code`": {
		{"try:\n    tools.filesystem(command='view', path='/nothing')\nexcept ToolError as e:\n    x = (str(e), " +
			"e.code)\nx",
			`^\('The path /nothing does not exist. Please provide a valid path.', 'tool_error'\)\n`},
		{
			"tools.filesystem(1)",
			`invalid tool call: filesystem takes keyword arguments, or one dictionary, and nothing else`,
		},
	},
	"Print a summary instead of everything, and put large results into a file": nil,
	"Print a summary instead of everything":                                    nil,
}

const stopped = "Code is stopped after 60 seconds, unless another time is set for the call, and when it uses more " +
	"than "

// slimClaims are those for a build with the standard library alone, and fullClaims those for one with PACKAGES.
var (
	slimClaims = map[string][]claim{
		"numpy, pandas, matplotlib, requests and other packages that need native code or a network are not there, " +
			"and pip cannot install any": {
			{"import numpy", "numpy is not available"}, {"import pandas", "pandas is not available"},
			{"import matplotlib.pyplot", "matplotlib is not available"},
			{"import requests", "requests is not available"}, {"import pip", "pip is not available"},
		},
		stopped + "64 MiB of memory, of which Python takes 30": {
			{"while True: pass", `^time limit exceeded: the script was stopped after 1s`},
			{"bytearray(40 << 20)", `^memory limit exceeded: the script may use 64 MiB`},
			{"len(bytearray(33 << 20))", `^34603008$`},
		},
		stopped + "48 MiB of memory, of which Python takes 30": {
			{"bytearray(30 << 20)", `^memory limit exceeded: the script may use 48 MiB`},
		},
	}
	fullClaims = map[string][]claim{
		"There are also PACKAGES; scipy, requests and other packages that need native code or a network are not " +
			"there, and pip cannot install any": {
			{"import numpy, pandas, matplotlib.pyplot, PIL\n" +
				"int(numpy.arange(4).sum()), len(pandas.DataFrame({'a': [1]}))", `^\(6, 1\)$`},
			{"import scipy", "scipy is not available"}, {"import requests", "requests is not available"},
			{"import pip", "pip is not available"},
		},
		stopped + "256 MiB of memory, of which Python takes 57, 75 with pandas, and 95 with matplotlib": {
			{"while True: pass", `^time limit exceeded: the script was stopped after 1s`},
			{"bytearray(215 << 20)", `^memory limit exceeded: the script may use 256 MiB`},
			{"len(bytearray(198 << 20))", `^207618048$`},
			{"import pandas\nlen(bytearray(180 << 20))", `^188743680$`},
			{"import matplotlib.pyplot\nlen(bytearray(160 << 20))", `^167772160$`},
		},
		stopped + "100 MiB of memory, of which Python takes 57, 75 with pandas, and 95 with matplotlib": {
			{"bytearray(60 << 20)", `^memory limit exceeded: the script may use 100 MiB`},
		},
	}
)

// claimsOf returns the claims for a build that has these packages.
func claimsOf(packages []string) map[string][]claim {
	all := maps.Clone(claims)
	if len(packages) > 0 {
		maps.Copy(all, fullClaims)
	} else {
		maps.Copy(all, slimClaims)
	}
	return all
}

// TestDescription checks each sentence that models are told, with different options.
func TestDescription(t *testing.T) {
	r := newRegistry(t)
	spec, _ := r.Spec(python.Name)
	require.Equal(t, 60.0, spec.Timeout.Seconds())
	used := map[string]bool{}
	packages := pythontest.Packages(t)
	claims, little := claimsOf(packages), 48
	if len(packages) > 0 {
		little = 100
	}
	for i, options := range []map[string]any{
		{}, {"memory": little}, {}, {"toolCalls": true}, {"session": "main"}, {"session": "main", "rollback": true},
		{"rollback": true},
	} {
		selection := registry.Selection{Options: map[string]map[string]any{python.Name: options}, NoProject: i == 2}
		definitions, err := r.Definitions(tool.Anthropic, selection)
		require.NoError(t, err)
		for _, sentence := range sentences(definitions[0].Description, packages) {
			if used[sentence] {
				continue
			}
			t.Run(fmt.Sprint(options, " ", sentence), func(t *testing.T) {
				claims, ok := claims[sentence]
				require.True(t, ok, "nothing shows that this is true: %s", sentence)
				used[sentence] = true
				env := newEnv(t)
				env.Selection = selection
				for name, content := range map[string]string{
					"/data/sales.csv": "a,b", "/memories/note.md": "remember", "/y.py": "y = 'y'",
					"/lib/python/pkg/__init__.py": "", "/lib/python/pkg/part.py": "z = 'z'",
				} {
					write(t, env.Files, name, content)
				}
				if selection.NoProject {
					env.Files = nil
				}
				for _, c := range claims {
					env.Limits.Timeout = 0
					if strings.Contains(c.want, "after 1s") {
						env.Limits.Timeout = 1e9
					}
					require.Regexp(t, c.want, run(t, r, env, c.code).Text(), c.code)
				}
			})
		}
	}
	for sentence := range claims {
		require.True(t, used[sentence], "this is not said: %s", sentence)
	}
}

func write(t testing.TB, files afero.Fs, name, content string) {
	require.NoError(t, files.MkdirAll(name[:strings.LastIndex(name, "/")+1], 0o755))
	require.NoError(t, afero.WriteFile(files, name, []byte(content), 0o644))
}

// TestDescriptionOverMCP checks that models are told the time limit that code has there.
func TestDescriptionOverMCP(t *testing.T) {
	definitions, err := newRegistry(t).Definitions(tool.MCP, registry.Selection{Mode: tool.ModeMCP})
	require.NoError(t, err)
	require.Contains(t, definitions[0].Description, "Code is stopped after 50 seconds")
}

// TestDescriptionOfPackages checks that models are told what a build has, before it is loaded.
func TestDescriptionOfPackages(t *testing.T) {
	language := python.Language
	language.Packages = []string{"numpy 2.3.5", "six 1.17.0"}
	r, err := registry.New(code.New(language, nil, nil))
	require.NoError(t, err)
	definitions, err := r.Definitions(tool.Anthropic, registry.Selection{})
	require.NoError(t, err)
	text := definitions[0].Description
	require.Contains(t, text, "There are also numpy 2.3.5, six 1.17.0; scipy, requests and other packages")
	require.Contains(t, text, "more than 256 MiB of memory, of which Python takes 57, 75 with pandas, "+
		"and 95 with matplotlib.")
}

// sentences splits a text into its sentences, without their full stops.
// sentences returns the sentences of a text in which PACKAGES stands for packages.
func sentences(text string, packages []string) (list []string) {
	if len(packages) > 0 {
		text = strings.ReplaceAll(text, strings.Join(packages, ", "), "PACKAGES")
	}
	text = regexp.MustCompile("(?s)```.*?```").ReplaceAllString(text, "")
	for _, s := range regexp.MustCompile(`\.(\s+|$)`).Split(text, -1) {
		if s = strings.TrimSpace(s); s != "" {
			list = append(list, s)
		}
	}
	return list
}

// TestHints declares tools for models.
func TestHints(t *testing.T) {
	r := newRegistry(t)
	selection := registry.Selection{Options: map[string]map[string]any{python.Name: {"toolCalls": true}}}
	definitions, err := r.Definitions(tool.Anthropic, selection)
	require.NoError(t, err)
	require.Contains(t, definitions[0].Description, "# Knows some facts.\n"+
		"tools.facts(About: str = ..., Kinds: list[str] = ..., Exact: bool = ...) -> dict\n"+
		"    # About: what the facts are about")
	require.Contains(t, definitions[0].Description, `tools.filesystem(command: Literal["view", `)
}
