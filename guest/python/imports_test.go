package python_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/guest/python"
)

func TestLeadingImports(t *testing.T) {
	for _, test := range []struct {
		name, code string
		want       []python.Import
	}{
		{"none", "", nil},
		{"a module", "import a", []python.Import{{"a", 1, 1, 8}}},
		{"a module in a package", "import a.b.c\n", []python.Import{{"a.b.c", 1, 1, 12}}},
		{"several", "import a, b.c as d,e # both\nf()", []python.Import{{"a", 1, 1, 20}, {"b.c", 1, 1, 20},
			{"e", 1, 1, 20}}},
		{"after comments", "# a\n\n \t# \u00e9\r\nimport a\r\n", []python.Import{{"a", 4, 4, 8}}},
		{"names", "from a.b import c, d as e  \nfrom f import *\nfrom g import h", []python.Import{{"a.b", 1, 1, 25},
			{"f", 2, 2, 15}, {"g", 3, 3, 15}}},
		{"names in parentheses", "from a import ( # all\n  b,\n  c as d, # and\n) # of them\nimport e",
			[]python.Import{{"a", 1, 4, 1}, {"e", 5, 5, 8}}},
		{"without those that are in the image", "from __future__ import annotations\nimport os, a, json\nimport " +
			"sys\nimport urllib, urllib.parse\nfrom collections import abc", []python.Import{{"a", 2, 2, 18}}},
		{"up to other code", "import a\nx = 1\nimport b", []python.Import{{"a", 1, 1, 8}}},
		{"up to a semicolon", "import a\nimport b; import c", []python.Import{{"a", 1, 1, 8}}},
		{"up to an indented line", "import a\n import b", []python.Import{{"a", 1, 1, 8}}},
		{"up to a name that is not ASCII", "import a\nimport b\u00e9\nimport c", []python.Import{{"a", 1, 1, 8}}},
		{"up to a continued line", "import a\nimport \\\n  b", []python.Import{{"a", 1, 1, 8}}},
		{"up to a text", "import a\n'''\nimport b\n'''", []python.Import{{"a", 1, 1, 8}}},
		{"relative ones", "import a\nfrom . import b", []python.Import{{"a", 1, 1, 8}}},
		{"of the file's folder", "from .a import b", nil},
		{"a lone return", "import a # b\rimport c\n", nil},
		{"a NUL", "import a # \x00\n", nil},
		{"what is cut off", "from a import (b,", nil},
		{"nothing from a module", "from a import ()", nil},
		{"a comma too many", "from a import b,", nil},
		{"two commas", "from a import (b,, c)", nil},
		{"no name after as", "import a as", nil},
		{"no module", "import", nil},
		{"no space", "importa", nil},
		{"a number", "import 1a", nil},
		{"a dot too many", "import a.", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, python.LeadingImports(test.code))
		})
	}
}

func FuzzLeadingImports(f *testing.F) {
	f.Add("import a.b as c, d\nfrom e import (f,\n g) # h\n")
	f.Fuzz(func(t *testing.T, code string) {
		for _, i := range python.LeadingImports(code) {
			require.NotEmpty(t, i.Module)
			require.GreaterOrEqual(t, i.LastLine, i.Line)
		}
		_, err := python.EncodeImports(python.LeadingImports(code))
		require.NoError(t, err)
	})
}
