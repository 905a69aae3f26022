package terminal_test

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
)

func TestEscape(t *testing.T) {
	for text, want := range map[string]string{
		"plain\ttext\n":           "plain\ttext\n",
		"é 日本 👩‍👩‍👧 ﷽":            "é 日本 👩‍👩‍👧 ﷽",
		"\x00\x07\b\r\v\f\x1b":    `\x00\x07\x08\x0d\x0b\x0c\x1b`,
		"\x7f\u0080\u009b\u009f ": `\x7f\x80\x9b\x9f `,
		"\x9b\xff\xc3":            `\x9b\xff\xc3`,
		"\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069": `\u061c\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069`,
		`\x1b`: `\x1b`,
	} {
		require.Equal(t, want, terminal.Escape(text))
	}
}

func FuzzEscape(f *testing.F) {
	f.Add("a\x1b[2J\u009b\u202e\xff\xe2\x80")
	f.Fuzz(func(t *testing.T, text string) {
		escaped := terminal.Escape(text)
		require.True(t, utf8.ValidString(escaped))
		require.Equal(t, escaped, terminal.Escape(escaped), "nothing is left to escape")
		for _, b := range []byte(escaped) {
			require.True(t, b >= ' ' && b != 0x7f || b == '\n' || b == '\t', "%q", escaped)
		}
		require.NotContains(t, escaped, "\u009b")
	})
}

// pipe returns a file, and its other end.
func pipe(t *testing.T) (read, file *os.File) {
	read, file, err := os.Pipe()
	require.NoError(t, err)
	t.Cleanup(func() {
		_ = read.Close()
		_ = file.Close()
	})
	return read, file
}

// TestWritesCanEndAnywhere writes text byte by byte.
func TestWritesCanEndAnywhere(t *testing.T) {
	read, file := pipe(t)
	out := terminal.ScreenOn(file, true)
	text := "é日本👩\x1b[2J\u009b2J\u202e\x9b\xe2\x80x\xe2\x80"
	for i := range len(text) {
		n, err := out.Write([]byte{text[i]})
		require.NoError(t, err)
		require.Equal(t, 1, n)
	}
	require.NoError(t, terminal.Print(out, terminal.Red, "red"))
	require.NoError(t, terminal.Print(out, terminal.Plain, "\xe6\x97"))
	require.NoError(t, terminal.Flush(out))
	require.NoError(t, terminal.Flush(out))
	require.NoError(t, terminal.Print(out, terminal.Plain, "\n"))
	want := `é日本👩\x1b[2J\x9b2J\u202e\x9b\xe2\x80x\xe2\x80` + "\x1b[31mred\x1b[0m" + `\xe6\x97` + "\n"
	got := make([]byte, len(want))
	_, err := io.ReadFull(read, got)
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}

// TestOtherStreams has bytes stay as they are, whatever is there to style or to show.
func TestOtherStreams(t *testing.T) {
	var b bytes.Buffer
	out := terminal.Out(&b, func(string) string { return "xterm" })
	require.Same(t, &b, out)
	require.False(t, terminal.IsTerminal(out))
	require.NoError(t, terminal.Print(out, terminal.Red, "\x1b\xff"))
	require.NoError(t, terminal.Flush(out))
	progress := terminal.StartProgress(out)
	progress.Report("message", 1, 2)
	progress.Stop()
	require.Nil(t, terminal.NewEditor(strings.NewReader(""), out, nil, nil))
	require.Equal(t, "\x1b\xff", b.String())
}

// TestProgressShowsWhatIsReported has messages that would drive the terminal, or need more than one line.
func TestProgressShowsWhatIsReported(t *testing.T) {
	read, file := pipe(t)
	synctest.Test(t, func(t *testing.T) {
		p := terminal.StartProgress(terminal.ScreenOn(file, true))
		p.Report("\x1b[2Ja\nb\r"+strings.Repeat("日本", 1000), 3, 10)
		time.Sleep(1100 * time.Millisecond) // the line is there after a second
		p.Report("copied", 3, 10)
		time.Sleep(200 * time.Millisecond)
		p.Stop()
	})
	require.NoError(t, file.Close())
	all, err := io.ReadAll(read)
	require.NoError(t, err)
	lines := strings.Split(string(all), "\r\x1b[K")
	require.Len(t, lines, 4)
	require.Regexp(t, `^1s  \\x1b\[2Ja b (日本)+日?$`, lines[1])
	wide := strings.Count(lines[1], "日") + strings.Count(lines[1], "本")
	require.Less(t, utf8.RuneCountInString(lines[1])+wide, 80, "it is one line")
	require.Equal(t, []string{"", "1s  copied  3/10", ""}, []string{lines[0], lines[2], lines[3]})
}

// TestProgressLeavesUnfinishedLinesAlone: the line would overwrite what code prints without a newline.
func TestProgressLeavesUnfinishedLinesAlone(t *testing.T) {
	read, file := pipe(t)
	synctest.Test(t, func(t *testing.T) {
		errs, out := terminal.ScreenOn(file, false), terminal.ScreenOn(file, false)
		p := terminal.StartProgress(errs, out)
		for _, text := range []string{"on standard output", "\n", "on standard error", "\n"} {
			time.Sleep(2300 * time.Millisecond) // never when the progress line is due
			to := out
			if strings.HasSuffix(text, "error") {
				to = errs
			}
			p.Above(func() { require.NoError(t, terminal.Print(to, terminal.Red, text)) })
			if text == "\n" { // what the streams had
				require.NoError(t, terminal.Print(out, terminal.Plain, text))
				require.NoError(t, terminal.Print(errs, terminal.Plain, text))
			}
		}
		p.Stop()
	})
	require.NoError(t, file.Close())
	all, err := io.ReadAll(read)
	require.NoError(t, err)
	require.Regexp(t, `^(\r\x1b\[K\d+s)+\r\x1b\[Kon standard output\n\n\n`+
		`(\r\x1b\[K\d+s)+\r\x1b\[Kon standard error\n\n\n(\r\x1b\[K\d+s\r\x1b\[K)?$`, string(all))
}
