package v4a_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/v4a"
)

func patchOf(lines ...string) string {
	return "*** Begin Patch\n" + strings.Join(lines, "\n") + "\n*** End Patch"
}

func update(lines ...string) string {
	return patchOf("*** Update File: f\n" + strings.Join(lines, "\n"))
}

func TestParse(t *testing.T) {
	files, err := v4a.Parse(patchOf("*** Add File: /a b.txt", "+one", "+", "+ two", "", "*** Update File: c",
		"*** Move to: d",
		"*** Delete File: e ", "*** Add File: empty", "*** Add File: crlf\r", "+1\r", "+2\r"))
	require.NoError(t, err)
	require.Equal(t, []v4a.File{
		{Kind: v4a.Add, Path: "/a b.txt", Text: "one\n\n two\n"}, {Kind: v4a.Update, Path: "c", To: "d"},
		{Kind: v4a.Delete, Path: "e"}, {Kind: v4a.Add, Path: "empty"}, {Kind: v4a.Add, Path: "crlf",
			Text: "1\r\n2\r\n"},
	}, files)
	for _, around := range [][2]string{{"", ""}, {"\n \n", "\n\n"}, {"```diff\n", "\n```\n"},
		{"apply_patch <<'EOF'\n", "\nEOF\n"}} {
		files, err := v4a.Parse(around[0] + patchOf("*** Delete File: e") + around[1])
		require.NoError(t, err, around)
		require.Len(t, files, 1)
	}
	for patch, want := range map[string]string{
		"": `The patch must begin with the line "*** Begin Patch".`,
		"hello\n" + patchOf("*** Delete File: e"): `The patch must begin with the line "*** Begin Patch".`,
		"*** Begin Patch\n*** Delete File: e":     `The patch must end with the line "*** End Patch". Send all of it.`,
		patchOf("*** Delete File: e") + "\nmore": `There is more behind "*** End Patch", which is line 3 of the ` +
			`patch.`,
		patchOf(""): "The patch has no *** Add File: PATH, *** Update File: PATH or " +
			"*** Delete File: PATH.",
		patchOf("*** Rename File: e"): `Line 2 of the patch is "*** Rename File: e": it should be *** ` +
			`Add File: PATH, *** Update File: PATH or *** Delete File: PATH.`,
		patchOf("*** Delete File: "): `Line 2 of the patch is "*** Delete File: ": it should be *** ` +
			`Add File: PATH, *** Update File: PATH or *** Delete File: PATH.`,
		patchOf("*** Delete File: e", "-x"): `Line 3 of the patch is "-x": it should be *** Add File: PATH, ` +
			`*** Update File: PATH or *** Delete File: PATH.`,
		patchOf("*** Add File: e", "x"): `Line 3 of the patch is "x": each line of an added file begins ` +
			`with +.`,
		update("*** Move to: "): `Line 3 of the patch is "*** Move to: ": it should be *** Move ` +
			`to: PATH.`,
		update("@@", " a", " b"): "The update of f changes nothing: it has no line that begins " +
			"with + or -.",
		update("@@", "a"): `Line 4 of the patch is "a": each line of an update begins ` +
			`with a space, + or -, or is @@ and a line above.`,
		update("+a", "*** End of File", "+b"): `Line 5 of the patch is "+b": a hunk behind *** End of File ` +
			`begins with @@.`,
		update(strings.Repeat("ü", 100)): `Line 3 of the patch is "` + strings.Repeat("ü", 50) + `...": ` +
			`each line of an update begins with a space, + or -, or is @@ and a line above.`,
	} {
		_, err := v4a.Parse(patch)
		require.EqualError(t, err, want)
		require.ErrorAs(t, err, new(*v4a.SyntaxError))
	}
}

func apply(t *testing.T, patch, text string) (string, error) {
	files, err := v4a.Parse(patch)
	require.NoError(t, err)
	return files[0].Apply(text)
}

func TestApply(t *testing.T) {
	const text = "def a():\n    x = 1\n    return x\n\ndef b():\n    x = 1\n    return x\n"
	for name, test := range map[string]struct{ patch, text, want string }{
		"context":          {update("@@", " a", "-b", "+B", " c"), "a\nb\nc\n", "a\nB\nc\n"},
		"without @@":       {update("-b", "+B"), "a\nb\nc\n", "a\nB\nc\n"},
		"the first of two": {update("-    x = 1", "+    x = 2"), text, strings.Replace(text, "1", "2", 1)},
		"a line above": {update("@@ def b():", "-    x = 1", "+    x = 2"), text,
			strings.ReplaceAll(strings.Replace(text, "1", "2", 2), "a():\n    x = 2", "a():\n    x = 1")},
		"lines above": {update("@@ class A", "@@ def b():", "-x", "+y"), "def b():\nx\nclass A\ndef b():\nx\n",
			"def b():\nx\nclass A\ndef b():\ny\n"},
		"a line above that is not there": {update("@@ def c():", "-def b():", "+def c():"), text,
			strings.Replace(text, "def b", "def c", 1)},
		"numbers":                     {update("@@ -1,2 +1,2 @@", "-b", "+B"), "a\nb\n", "a\nB\n"},
		"numbers and a line":          {update("@@ -1,2 +1,2 @@ b", "-a", "+A"), "a\nb\na\n", "a\nb\nA\n"},
		"two hunks":                   {update("@@", "-a", "+A", "@@", "-a", "+B"), "a\nx\na\n", "A\nx\nB\n"},
		"several edits":               {update(" a", "-b", "+B", " c", "+d", " e"), "a\nb\nc\ne\n", "a\nB\nc\nd\ne\n"},
		"added before removed":        {update("+B", "-b", "-c"), "a\nb\nc\n", "a\nB\n"},
		"only added":                  {update("+a"), "b\n", "a\nb\n"},
		"only added, behind":          {update("@@ b", "+a"), "b\nc\n", "b\na\nc\n"},
		"only added at the end":       {update("+a", "*** End of File"), "b\n", "b\na\n"},
		"to an empty file":            {update("+a"), "", "a\n"},
		"all removed":                 {update("-a"), "a\n", ""},
		"the last of two":             {update("-a", "+b", "*** End of File"), "a\na\n", "a\nb\n"},
		"not at the end":              {update("-a", "+b", "*** End of File"), "a\nc\n", "b\nc\n"},
		"without a last newline":      {update("-b", "+c"), "a\nb", "a\nc"},
		"blanks at ends":              {update(" a", "-b", "+c"), "a  \nb\t\n", "a  \nc\n"},
		"indentation":                 {update(" a", "-  b", "+  c"), "  a\n    b\n", "  a\n  c\n"},
		"exact before alike":          {update("-a", "+c"), " a\na\n", " a\nc\n"},
		"an empty line is context":    {update(" a", "", "-b"), "a\n\nb\n", "a\n\n"},
		"an empty line for the looks": {update("-a", "+b", ""), "a\n", "b\n"},
		"\\r in the patch":            {update("@@\r", "-a\r", "+b\r"), "a\n", "b\n"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := apply(t, test.patch, test.text)
			require.NoError(t, err)
			require.Equal(t, test.want, got)
		})
	}
}

func TestMisses(t *testing.T) {
	for name, test := range map[string]struct {
		patch, text string
		want        v4a.MissError
	}{
		"nowhere":    {update(" a", "-c"), "a\nb\n", v4a.MissError{Line: 3, Old: "a\nc"}},
		"only above": {update("-b", "@@", "-a"), "a\nb\n", v4a.MissError{Line: 5, Old: "a", After: 2, Places: 1}},
		"which of them": {update("@@ c", "-a"), "a\nb\na\n",
			v4a.MissError{Line: 4, Old: "a", Places: 2, Anchor: "c"}},
		"added behind nothing": {update("@@ c", "+a"), "a\n", v4a.MissError{Line: 4, Places: 2, Anchor: "c"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := apply(t, test.patch, test.text)
			require.Equal(t, &test.want, err)
		})
	}
}

// TestHugePatches checks that a patch that would take too long is refused.
func TestHugePatches(t *testing.T) {
	_, err := apply(t, update(strings.Repeat("-a\n", 100_000)+"-b"), strings.Repeat("a\n", 200_000))
	require.EqualError(t, err, "The patch of f is too large to be applied at once. Send its hunks one by one.")
	_, err = apply(t, update("-a"), strings.Repeat("\n", 2_000_000))
	require.EqualError(t, err, "The file f has more than 1000000 lines, too many for a patch.")
	_, err = v4a.Parse(strings.Repeat("\n", 2_000_000))
	require.EqualError(t, err, "The patch has more than 1000000 lines. Split it.")
}

func FuzzPatch(f *testing.F) {
	f.Add(patchOf("*** Add File: /a", "+one", "*** Update File: c", "*** Move to: d", "@@ x", " a", "-b", "+c",
		"*** End of File", "*** Delete File: e"), "x\na\nb\n")
	f.Add(update("@@ -1 +1 @@", "", "+a", "-b", "@@", "@@ y", "+c"), "y\nb")
	f.Add("```\r\n*** Begin Patch\r\n*** Update File: a\r\n-\r\n*** End Patch\r\n```", "\n\n")
	f.Fuzz(func(t *testing.T, patch, text string) {
		files, err := v4a.Parse(patch)
		if err != nil {
			require.ErrorAs(t, err, new(*v4a.SyntaxError))
			return
		}
		require.NotEmpty(t, files)
		for _, file := range files {
			require.NotEmpty(t, file.Path)
			edited, err := file.Apply(text)
			switch {
			case err != nil:
			case !file.Changes():
				require.Equal(t, text, edited)
			case file.Kind == v4a.Update && text != "" && edited != "":
				// Lines are added and removed, so all others are still there.
				require.LessOrEqual(t, strings.Count(edited, "\n"), strings.Count(text, "\n")+strings.Count(patch,
					"\n")+1)
			}
		}
	})
}
