package search

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var xargs = &command.Command{
	Name:     "xargs",
	Operands: "[OPTION]... COMMAND [INITIAL-ARGS]...",
	Summary:  "Run COMMAND with arguments INITIAL-ARGS and more arguments read from input.",
	Options: []command.Option{
		{Short: '0', Long: "null", Help: "items are separated by a null, not whitespace"},
		{Short: 'a', Long: "arg-file", Arg: "FILE", Help: "read arguments from FILE, not standard input"},
		{Short: 'd', Long: "delimiter", Arg: "CHARACTER", Help: "items in input stream are separated by CHARACTER"},
		{Short: 'E', Arg: "END", Help: "set logical EOF string"},
		{Short: 'e', Long: "eof", Arg: "END", Optional: true},
		{Short: 'I', Arg: "R", Help: "replace R in INITIAL-ARGS with names read from input"},
		{Short: 'i', Long: "replace", Arg: "R", Optional: true},
		{Short: 'L', Arg: "MAX-LINES", Help: "use at most MAX-LINES non-blank input lines per command"},
		{Short: 'l', Long: "max-lines", Arg: "MAX-LINES", Optional: true},
		{Short: 'n', Long: "max-args", Arg: "MAX-ARGS", Help: "use at most MAX-ARGS arguments per command line"},
		{Short: 'o', Long: "open-tty"},
		{Short: 'P', Long: "max-procs", Arg: "MAX-PROCS", Help: "run at most MAX-PROCS commands at a time"},
		{Short: 'p', Long: "interactive"}, {Long: "process-slot-var", Arg: "VAR"},
		{Short: 'r', Long: "no-run-if-empty", Help: "if there are no arguments, then do not run COMMAND"},
		{Short: 's', Long: "max-chars", Arg: "MAX-CHARS", Help: "limit length of command line to MAX-CHARS"},
		{Long: "show-limits"},
		{Short: 't', Long: "verbose", Help: "print commands before executing them"},
		{Short: 'x', Long: "exit", Help: "exit if the size (see -s) is exceeded"},
	},
	StopAtOperand: true,
	Run:           runXargs,
}

// maxChars is how long a command line may be.
const maxChars = 128 << 10

func runXargs(c *command.Context) int {
	x := xargser{c: c, base: c.Args, most: -1, lines: -1, chars: maxChars}
	if len(x.base) == 0 {
		x.base = []string{"echo"}
	}
	delimiter, input := -1, c.Stdin
	end := ""
	for _, g := range c.Given {
		n := 0
		switch g.Name {
		case "max-args", "L", "max-procs", "max-chars":
			var err error
			if n, err = strconv.Atoi(g.Value); err != nil || n < 0 || n == 0 && g.Name != "max-procs" {
				letter := map[string]string{"max-args": "n", "L": "L", "max-procs": "P", "max-chars": "s"}[g.Name]
				if err == nil {
					c.Errorf("value %s for -%s option should be >= 1", g.Value, letter)
				} else {
					c.Errorf("invalid number \"%s\" for -%s option", g.Value, letter)
				}
				return 1
			}
		}
		switch g.Name {
		case "null":
			delimiter = 0
		case "delimiter":
			text := command.Unescape(g.Value)
			if len(text) != 1 {
				c.Errorf("Invalid input delimiter specification %s: the delimiter must be either a single "+
					"character or an escape sequence starting with \\.", g.Value)
				return 1
			}
			delimiter = int(text[0])
		case "arg-file":
			in, err := c.Open(g.Value)
			if err != nil {
				c.Errorf("Cannot open input file %s: %s", command.Quote(g.Value), command.Text(err))
				return 1
			}
			defer in.Close()
			input = in
		case "E", "eof":
			end = g.Value
		case "I":
			x.replace, x.most, x.lines = g.Value, -1, 1
		case "replace":
			if x.replace, x.lines = g.Value, 1; g.Value == "" {
				x.replace = "{}"
			}
		case "L":
			x.lines, x.most, x.replace = n, -1, ""
		case "max-lines":
			if x.lines, x.most, x.replace = 1, -1, ""; g.Value != "" {
				x.lines, _ = strconv.Atoi(g.Value)
			}
		case "max-args":
			if x.most, x.lines = n, -1; x.replace != "" && n != 1 {
				x.replace = ""
			} else if x.replace != "" {
				x.lines, x.most = 1, -1
			}
		case "max-procs":
			x.parallel = n
		case "max-chars":
			x.chars = n
		}
	}
	if c.Has("max-procs") && x.parallel == 0 {
		x.parallel = 64
	}
	data, err := io.ReadAll(input)
	if err != nil {
		c.Errorf("read error: %s", command.Text(err))
		return 1
	}
	items, err := splitItems(data, delimiter, x.replace != "", end)
	if err == nil || len(items) > 0 {
		x.run(items)
	}
	x.wait()
	if err != nil && x.status < 123 {
		c.Errorf("%s", err.Error())
		return 1
	}
	return x.status
}

// An item is an argument, and whether it is the last one of its line.
type item struct {
	text string
	last bool
}

// splitItems splits the input into items.
func splitItems(data []byte, delimiter int, wholeLines bool, end string) ([]item, error) {
	var items []item
	if delimiter >= 0 {
		if len(data) == 0 {
			return nil, nil
		}
		for part := range bytes.SplitSeq(bytes.TrimSuffix(data, []byte{byte(delimiter)}), []byte{byte(delimiter)}) {
			items = append(items, item{string(part), true})
		}
		return items, nil
	}
	var word []byte
	some := false
	flush := func(last bool) bool {
		if some {
			if end != "" && string(word) == end {
				return false
			}
			items = append(items, item{string(word), last})
		} else if last && len(items) > 0 {
			items[len(items)-1].last = true
		}
		word, some = nil, false
		return true
	}
	for i := 0; i < len(data); i++ {
		switch c := data[i]; {
		case c == '\'' || c == '"':
			close := bytes.IndexByte(data[i+1:], c)
			newline := bytes.IndexByte(data[i+1:], '\n')
			if close < 0 || newline >= 0 && newline < close {
				kind := "single"
				if c == '"' {
					kind = "double"
				}
				return items, errors.New("unmatched " + kind +
					" quote; by default quotes are special to xargs unless you use the -0 option")
			}
			word, some = append(word, data[i+1:i+1+close]...), true
			i += close + 1
		case c == '\\' && i+1 < len(data):
			i++
			word, some = append(word, data[i]), true
		case c == '\n':
			// A blank at the end of a line goes on with the next one.
			if !flush(wholeLines || i == 0 || data[i-1] != ' ' && data[i-1] != '\t') {
				return items, nil
			}
		case (c == ' ' || c == '\t') && !(wholeLines && some):
			if !wholeLines && !flush(false) {
				return items, nil
			}
		default:
			word, some = append(word, c), true
		}
	}
	flush(true)
	return items, nil
}

type xargser struct {
	c        *command.Context
	base     []string
	replace  string
	most     int // arguments a command, or -1
	lines    int // lines a command, or -1
	chars    int
	parallel int
	count    int // of the commands that have begun

	status  int
	stopped bool

	// Of commands that run at once.
	group    sync.WaitGroup
	places   chan struct{}
	mu       sync.Mutex
	statuses []int // of those that have ended
}

func (x *xargser) run(items []item) {
	if x.replace != "" {
		for _, it := range items {
			args := make([]string, len(x.base))
			for i, arg := range x.base {
				args[i] = arg
				if i > 0 {
					args[i] = strings.ReplaceAll(arg, x.replace, it.text)
				}
			}
			if !x.command(args) {
				return
			}
		}
		return
	}
	if len(items) == 0 {
		if !x.c.Has("no-run-if-empty") {
			x.command(x.base)
		}
		return
	}
	size := 0
	for _, arg := range x.base {
		size += len(arg) + 1
	}
	for len(items) > 0 {
		args := append([]string(nil), x.base...)
		length, lines := size, 0
		n := 0
		for _, it := range items {
			if n > 0 && length+len(it.text)+1 > x.chars || x.most >= 0 && n == x.most {
				break
			}
			args = append(args, it.text)
			length += len(it.text) + 1
			n++
			if it.last {
				if lines++; x.lines > 0 && lines == x.lines {
					break
				}
			}
		}
		items = items[n:]
		if !x.command(args) {
			return
		}
	}
}

// command runs a command, and returns whether to go on.
func (x *xargser) command(args []string) bool {
	if x.c.Has("verbose") {
		fmt.Fprintln(x.c.Stderr, strings.Join(args, " "))
	}
	call := command.Call{Args: args, Stdin: strings.NewReader("")}
	if name, ok := x.c.Value("process-slot-var"); ok {
		x.count++
		slot := strconv.Itoa((x.count - 1) % max(1, x.parallel))
		call.Env = command.EnvList(append(x.c.Env.List(), name+"="+slot))
	}
	if x.c.Has("arg-file") {
		call.Stdin = x.c.Stdin
	}
	if x.parallel <= 1 {
		return x.note(x.c.Run(call), args[0])
	}
	if x.places == nil {
		x.places = make(chan struct{}, x.parallel)
	}
	x.places <- struct{}{}
	x.group.Add(1)
	go func() {
		status := x.c.Run(call)
		x.mu.Lock()
		x.statuses = append(x.statuses, status)
		x.mu.Unlock()
		<-x.places
		x.group.Done()
	}()
	return x.collect(args[0])
}

// collect notes the statuses of those that have ended, and returns whether to go on.
func (x *xargser) collect(name string) bool {
	x.mu.Lock()
	statuses := x.statuses
	x.statuses = nil
	x.mu.Unlock()
	for _, status := range statuses {
		x.note(status, name)
	}
	return !x.stopped
}

func (x *xargser) wait() {
	x.group.Wait()
	x.collect(x.base[0])
}

// note notes the status of a command, and returns whether to go on.
func (x *xargser) note(status int, name string) bool {
	switch {
	case status == 255:
		x.c.Errorf("%s: exited with status 255; aborting", name)
		x.status, x.stopped = 124, true
	case (status == 126 || status == 127) && x.c.Host.Find(name) == nil:
		x.status, x.stopped = status, true
	case status > 128:
		x.c.Errorf("%s: terminated by signal %d", name, status-128)
		x.status, x.stopped = 125, true
	case status != 0 && x.status == 0:
		x.status = 123
	}
	return !x.stopped
}
