package module_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/module"
)

func TestFirstImports(t *testing.T) {
	for code, want := range map[string]string{
		`const a = require('a')`: "r:a",
		`'use strict';
			const a = require("a"), {b, c: [d]} = require('b').x`: "r:a r:b",
		"// first\nconst a = require('a')\nlet b = require('./b')\nuse(a)": "r:a r:./b",
		`var a = (await import('a')).default; require('b');
			await import('c')`: "i:a r:b i:c",
		`import x, {y} from 'a'; import 'b';
			import * as z from "c"`: "i:a i:b i:c",
		"const q = require('q'); f(); import x from 'a'": "i:a r:q",
		"import type {T} from 'a'; import type from 'b'; " +
			"import type, {x} from 'c'; import {type U} from 'd'": "i:b i:c i:d",
		"import d from './d.json' with {type: 'json'}\nconst a = require('a')": "i:./d.json r:a",
		`require('mathjs').sqrt(4)`:                                 "r:mathjs",
		`const x = require('debug')('app'); const y = require('y')`: "r:debug",
		"const x = 1, s = 'a' + f(); const y = require('y')":        "",
		"const x = 1, s = `a`; const y = require('y')":              "r:y",
		`process.env.A = 1; const y = require('y')`:                 "",
		`const {a = f()} = require('y')`:                            "",
		`const x = require(name)`:                                   "",
		`const x = require('a' + b)`:                                "",
		`const x = require('a', 1)`:                                 "",
		`const x = import('a')`:                                     "",
		`import('a').then(f); const b = require('b')`:               "",
		`const text = "import x from 'a'"`:                          "",
		"`import x from 'a'`":                                       "",
		`if (x) { require('a') }`:                                   "",
		`const require = f; const a = require('a')`:                 "",
		`function f() { return require('a') }`:                      "",
		`const x = require('\x61')`:                                 "",
		`const x = require`:                                         "",
		`import`:                                                    "",
		`const x = 'require'`:                                       "",
		strings.Repeat(" ", 70<<10) + `require('a')`:                "",
	} {
		var got []string
		for _, i := range module.FirstImports(code) {
			kind := "i:"
			if i.Required {
				kind = "r:"
			}
			got = append(got, kind+i.Specifier)
		}
		require.Equal(t, want, strings.Join(got, " "), "%.100s", code)
	}
}

func FuzzFirstImports(f *testing.F) {
	f.Add(`const a = require('a').b, {c} = (await import('c')); import d from 'e'`)
	f.Fuzz(func(t *testing.T, code string) {
		for _, i := range module.FirstImports(code) {
			require.Contains(t, code, i.Specifier)
		}
	})
}
