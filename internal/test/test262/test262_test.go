package test262_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/test262"
)

func TestFrontMatter(t *testing.T) {
	test, err := test262.Parse("a/b.js",
		"// © \r\n/*---\r\ndescription: >\r\n  x: y\r\nflags: [async, noStrict]\r\nincludes:\r\n  - a.js\r\n"+
			"features: [A,\r\n  B]\r\nnegative:\r\n  phase: runtime\r\n  type: TypeError\r\n---*/\r\n1")
	require.NoError(t, err)
	require.Equal(t, test262.Meta{
		Flags: []string{"async", "noStrict"}, Includes: []string{"a.js"}, Features: []string{"A", "B"},
		Negative: &test262.Negative{Phase: "runtime", Type: "TypeError"},
	}, test.Meta)
	require.Equal(t, []string{"assert.js", "sta.js", "doneprintHandle.js", "a.js"}, test.Harness())

	for source, want := range map[string]string{
		"1":                                 "no front matter",
		"/*---\n1":                          "no front matter",
		"/*---\n\t- [\n---*/":               "a.js",
		"/*---\nflags: [sometimes]\n---*/":  "the flag sometimes",
		"/*---\nnegative: {}\n---*/":        "which error",
		"/*---\nnegative: {type: A}\n---*/": "which error",
		"/*---\nnegative: {phase: run, type: A}\n---*/": "which error",
	} {
		_, err := test262.Parse("a.js", source)
		require.ErrorContains(t, err, want, source)
	}
}

func TestModes(t *testing.T) {
	for flags, want := range map[string][]string{
		"":           {"a.js sloppy", "a.js strict"},
		"generated":  {"a.js sloppy", "a.js strict"},
		"raw":        {"a.js sloppy"},
		"noStrict":   {"a.js sloppy"},
		"onlyStrict": {"a.js strict"},
		"module":     {"a.js module"},
	} {
		test, err := test262.Parse("a.js", "/*---\nflags: ["+flags+"]\n---*/ x")
		require.NoError(t, err)
		var names []string
		for _, c := range test.Cases() {
			names = append(names, c.String())
			want := map[test262.Mode]string{test262.Sloppy: test.Source, test262.Strict: "\"use strict\";\n" +
				test.Source}[c.Mode]
			require.Equal(t, want, c.Script())
		}
		require.Equal(t, want, names, flags)
	}
}

func TestSkippedTestsHaveReasons(t *testing.T) {
	for path, test := range map[string]struct{ source, want string }{
		"a.js":         {"/*---\n---*/", ""},
		"intl402/a.js": {"/*---\n---*/", "Intl"},
		"features.js":  {"/*---\nfeatures: [Map, Temporal]\n---*/", "Temporal"},
		"realm.js":     {"/*---\n---*/ $262.createRealm()", "realm"},
		"includes.js":  {"/*---\nincludes: [detachArrayBuffer.js]\n---*/", "detach"},
		"blocks.js":    {"/*---\nflags: [CanBlockIsTrue]\n---*/", "block"},
		"staging/a.js": {"/*---\n---*/", ""},
		"built-ins/RegExp/property-escapes/generated/a.js": {"/*---\n---*/", "Unicode"},
	} {
		parsed, err := test262.Parse(path, test.source)
		require.NoError(t, err)
		if test.want == "" {
			require.Empty(t, parsed.Skip(), path)
		} else {
			require.Contains(t, parsed.Skip(), test.want, path)
		}
	}
}

func TestFailures(t *testing.T) {
	failures, err := test262.ParseFailures("# one\n# reason\nb.js strict sloppy\na.js module\n\n# another\nc.js " +
		"sloppy\n\nd.js strict\n")
	require.NoError(t, err)
	require.Equal(t, test262.Failures{
		"b.js strict": "one reason", "b.js sloppy": "one reason", "a.js module": "one reason", "c.js sloppy": "another",
		"d.js strict": "",
	}, failures)
	require.Equal(t, "a.js module\nb.js sloppy strict\nc.js sloppy\nd.js strict\n", failures.String())
	for text, want := range map[string]string{
		"a.js":                     "line 1",
		"a.js strict\nb.js strikt": `line 2 of the failures has the mode "strikt"`,
		"a.js strict\na.js strict": "again",
	} {
		_, err := test262.ParseFailures(text)
		require.ErrorContains(t, err, want)
	}
}

func TestRecordsAreReadAsTheyAreWritten(t *testing.T) {
	for _, record := range []*test262.Record{
		{Commit: "c", Engine: "e", Cases: 5, Failures: test262.Failures{"a.js module": ""}},
		{Failures: test262.Failures{}},
	} {
		read, err := test262.ParseRecord(record.String())
		require.NoError(t, err)
		require.Equal(t, record, read)
	}
	for _, text := range []string{"cases x\n\n", "size 5\n\n", "cases 5\n\na.js"} {
		_, err := test262.ParseRecord(text)
		require.Error(t, err, text)
	}
}

func TestJudge(t *testing.T) {
	for name, test := range map[string]struct {
		matter string
		events []string
		err    error
		want   string
	}{
		"ended":                 {"", []string{"ran"}, nil, ""},
		"nothing":               {"", nil, nil, "has not come to its end"},
		"thrown after the end":  {"", []string{"ran", "threw A a"}, nil, "A a"},
		"the engine has failed": {"", []string{"ran"}, errors.New("crash"), "crash"},
		"the engine has failed as it should": {"negative: {phase: runtime, type: A}", []string{"threw A a"},
			errors.New("crash"), "crash"},
		"something unknown": {"", []string{"ran", "broken A"}, nil, "broken A"},
		"done":              {"flags: [async]", []string{"ran", "print Test262:AsyncTestComplete"}, nil, ""},
		"done, and failed": {"flags: [async]", []string{"ran", "print Test262:AsyncTestComplete",
			"print Test262:AsyncTestFailure:x"}, nil, "Failure:x"},
		"printed something else": {"flags: [async]", []string{"ran", "print x"}, nil, "$DONE was not called"},
		"the error":              {"negative: {phase: parse, type: A}", []string{"threw A a"}, nil, ""},
		"a longer name": {"negative: {phase: parse, type: A}", []string{"threw AB a"}, nil,
			"instead of a A: AB a"},
		"no error": {"negative: {phase: parse, type: A}", []string{"ran"}, nil, "no A was thrown"},
	} {
		parsed, err := test262.Parse("a.js", "/*---\n"+test.matter+"\n---*/")
		require.NoError(t, err)
		err = parsed.Cases()[0].Judge(test.events, test.err)
		if test.want == "" {
			require.NoError(t, err, name)
		} else {
			require.ErrorContains(t, err, test.want, name)
		}
	}
}
