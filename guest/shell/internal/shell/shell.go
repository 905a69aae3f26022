// Package shell is the language of bash: it runs scripts whose commands are functions of this program. Its parser is
// that of mvdan.cc/sh; that module's interpreter is not used, since it has only three file descriptors, makes pipes of
// the system, and its commands end no process when they write to a pipe that nobody reads.
package shell

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// Options are what a shell has from outside.
type Options struct {
	// Table has the commands.
	Table command.Table
	// Root is the directory of the system that is "/". Empty means that of the system itself.
	Root string
	// Dir is the working directory. Empty means "/".
	Dir string
	// Env is the environment, each entry of the form NAME=value.
	Env []string
	// NoModes says that the system keeps no modes of files, so that the shell does.
	NoModes bool
	// Name is $0. Empty means "bash".
	Name string
	// Outside calls tools and makes requests. Nil means that there is neither.
	Outside command.Outside
}

// A Shell runs scripts. It keeps its variables, functions and working directory from one to the next. It is not safe
// for concurrent use.
type Shell struct {
	pending atomic.Pointer[[]string] // signals that others have sent, and that have traps
	state
}

// state is what a subshell begins with, too.
type state struct {
	*world
	process *process
	name    string
	pid     int
	files   command.Files
	fds     []*description // nil for those that are closed
	// substitutions are the descriptors of process substitutions.
	substitutions []int

	owner     *owner
	vars      map[string]*variable
	unspecial map[string]bool
	frames    []frame
	functions map[string]*function
	aliases   map[string]string
	sharing   bool // functions and aliases are another shell's, too
	params    []string
	options   options
	shopt     map[string]bool
	dirs      []string // of pushd
	traps     map[string]string
	jobs      []*job

	status     int
	pipeStatus []int
	line       int
	lastJob    int
	lastArg    string // of the last command
	subshells  int
	depth      int
	random     *rand.Rand // nil until it is needed: see dice
	start      time.Time
	seconds    int
	optionAt   int // of getopts, within a word
	substitute int // the status of the last command substitution of a command, or -1

	loops      int
	breaking   int
	skipping   int // loops to continue
	returning  bool
	exiting    bool
	unchecked  int               // errors do not end the shell
	trapping   string            // the trap whose action runs, or ""
	fixed      bool              // the number of the line is that of the command whose trap runs
	outerTraps map[string]string // of the shell that this is a subshell of, for showing them
	sourced    int
	bare       bool // the redirections are those of no command
	kept       bool // the redirections of exec stay
	more       []string
	text       string // the script, for errors
}

// world is what all shells share.
type world struct {
	table   command.Table
	outside command.Outside
	ask     []string       // commands to approve
	running sync.WaitGroup // what runs in the background
	mu      sync.Mutex
	all     map[int]*job
	shells  map[int]*Shell // those that are not subshells, by their numbers
}

type function struct {
	body     *syntax.Stmt
	file     string
	exported bool // shells that this one begins have it, too
}

// firstID is the number of the first process, as it is not the first one of a machine.
const firstID = 1000

// New returns a shell.
func New(options Options) *Shell {
	sh := &Shell{state: state{
		world: &world{table: options.Table, outside: options.Outside, all: map[int]*job{}, shells: map[int]*Shell{}},
		name:  options.Name, process: newProcess(nil), owner: new(owner), vars: map[string]*variable{},
		functions: map[string]*function{}, substitute: -1,
	}}
	if sh.name == "" {
		sh.name = "bash"
	}
	if sh.outside == nil {
		sh.outside = command.Inside{}
	}
	sh.pid = sh.process.id + firstID
	sh.shells[sh.pid] = sh
	sh.files = command.Files{Root: options.Root, Dir: options.Dir, Device: sh.device}
	if options.NoModes {
		sh.files.Modes = &command.Modes{}
	}
	if sh.files.Dir == "" {
		sh.files.Dir = "/"
	}
	sh.begin(append([]string{"HOME=/", "PATH=" + searchPath}, options.Env...))
	return sh
}

// Begin makes the shell one that has just begun, which has an environment, each entry of the form NAME=value. What
// differs between runs of a program that is kept in memory, as the time and random numbers do, is taken anew.
func (sh *Shell) Begin(env []string) {
	for _, entry := range env {
		if name, value, ok := strings.Cut(entry, "="); ok && validName(name) {
			sh.vars[name] = &variable{owner: sh.owner, str: value, set: true, exported: true}
		}
	}
	sh.start = time.Now()
	sh.random = nil
}

// Name makes a name $0. Empty means "bash".
func (sh *Shell) Name(name string) { sh.name = cmp.Or(name, "bash") }

// Ask has the host approve commands of these names each time before they run, however a script comes to run them: by a
// call of the tool bash:NAME with the arguments.
func (sh *Shell) Ask(commands []string) { sh.ask = commands }

// approved asks the host, if it must, whether a command may run.
func (sh *Shell) approved(cmd *command.Command, args []string) error {
	for _, name := range []string{cmd.Name, path.Base(args[0])} {
		if !slices.Contains(sh.ask, name) {
			continue
		}
		input, err := json.Marshal(args[1:])
		if err == nil {
			_, err = sh.outside.CallTool("bash:"+name, input)
		}
		return err
	}
	return nil
}

// Libraries reads the files *.sh of a folder, in the order of their names, as scripts of this shell. There need not be
// a folder.
func (sh *Shell) Libraries(dir string, streams Streams) {
	entries, _ := sh.files.ReadDir(dir)
	for _, entry := range entries {
		if strings.HasSuffix(entry.Name(), ".sh") && !entry.IsDir() {
			streams.Stdin = nil
			sh.Run(context.Background(), ". "+quote(path.Join(dir, entry.Name())), nil, streams)
		}
	}
}

// Warm runs a script that does nothing, so that what is made at the first use is there.
func (sh *Shell) Warm() {
	c := New(Options{Table: sh.table})
	var output bytes.Buffer
	c.Run(context.Background(), "x=1; [[ $x == 1 ]] && for i in a b; do echo \"$i $((x + 1)) ${x:-2}\" | cat; "+
		"done; echo $(echo) >/dev/null",
		nil, Streams{Stdout: &output, Stderr: &output})
}

// begin sets the variables that a shell begins with.
func (sh *Shell) begin(env []string) {
	for _, entry := range env {
		if name, value, ok := strings.Cut(entry, "="); ok && validName(name) {
			sh.vars[name] = &variable{owner: sh.owner, str: value, set: true, exported: true}
		}
	}
	for _, name := range []string{"UID", "EUID", "PPID", "BASH_VERSION", "BASH_VERSINFO"} {
		delete(sh.vars, name)
	}
	set := func(name, value string, exported bool) {
		if v := sh.vars[name]; v == nil {
			sh.vars[name] = &variable{owner: sh.owner, str: value, set: true, exported: exported}
		}
	}
	set("PATH", searchPath, false)
	delete(sh.vars, "IFS")
	set("IFS", " \t\n", false)
	set("PS4", "+ ", false)
	set("OPTIND", "1", false)
	set("OPTERR", "1", false)
	set("BASH", "/bin/bash", false)
	set("BASH_VERSION", "5.2.37(1)-release", false)
	set("HOSTNAME", "toolrun", false)
	set("HOSTTYPE", "wasm32", false)
	set("OSTYPE", "linux-gnu", false)
	set("MACHTYPE", "wasm32-toolrun-linux-gnu", false)
	set("UID", "1000", false)
	set("EUID", "1000", false)
	set("PPID", "1", false)
	set("SHELL", "/bin/bash", false)
	version := &variable{owner: sh.owner, kind: indexed, set: true}
	for i, part := range []string{"5", "2", "37", "1", "release", "wasm32-toolrun-linux-gnu"} {
		version.list = append(version.list, element{i, part})
	}
	sh.vars["BASH_VERSINFO"] = version
	level := 0
	_, _ = fmt.Sscan(sh.value("SHLVL"), &level)
	sh.vars["SHLVL"] = &variable{owner: sh.owner, str: fmt.Sprint(level + 1), set: true, exported: true}
	sh.vars["PWD"] = &variable{owner: sh.owner, str: sh.files.Dir, set: true, exported: true}
	if sh.vars["OLDPWD"] == nil {
		sh.vars["OLDPWD"] = &variable{owner: sh.owner, exported: true}
	}
	sh.options.on['h'], sh.options.on['B'], sh.options.on[interactiveComments] = true, true, true
	sh.start = time.Now()
}

const searchPath = "/usr/local/bin:/usr/bin:/bin"

// fork returns a subshell.
func (sh *Shell) fork() *Shell {
	sh.owner = new(owner)
	c := sh.copied()
	c.owner = new(owner)
	c.vars = maps.Clone(sh.vars)
	c.unspecial = maps.Clone(sh.unspecial)
	c.shopt = maps.Clone(sh.shopt)
	sh.sharing, c.sharing = true, true
	c.frames = slices.Clone(sh.frames)
	if n := c.inFunction(); n >= 0 {
		c.frames[n].saved = maps.Clone(c.frames[n].saved)
	}
	c.loops = 0
	c.substitutions = nil
	c.process = newProcess(sh.process)
	c.fds = slices.Clone(sh.fds)
	for _, d := range c.fds {
		if d != nil {
			d.keep()
		}
	}
	c.files.Device = c.device
	c.dirs = slices.Clone(sh.dirs)
	c.jobs = nil
	c.pipeStatus = nil
	c.traps = nil
	if len(sh.traps) > 0 {
		c.outerTraps = sh.traps
	}
	for name, action := range sh.traps {
		if action == "" || (name == "ERR" && sh.options.on['E']) ||
			((name == "DEBUG" || name == "RETURN") && sh.options.on['T']) {
			if c.traps == nil {
				c.traps = map[string]string{}
			}
			c.traps[name] = action
		}
	}
	c.trapping = ""
	c.random = nil
	c.subshells++
	c.depth++
	c.kept = false
	return c
}

// copied returns a copy of a shell, but for the signals that it has got.
func (sh *Shell) copied() *Shell {
	c := sh.state
	return &Shell{state: c}
}

// unshare makes functions and aliases this shell's own, before they are changed.
func (sh *Shell) unshare() {
	if sh.sharing {
		sh.functions, sh.aliases, sh.sharing = maps.Clone(sh.functions), maps.Clone(sh.aliases), false
	}
}

// end gives back what a subshell has.
func (sh *Shell) end() {
	for _, d := range sh.fds {
		if d != nil {
			d.release()
		}
	}
	sh.fds = nil
	sh.process.over()
	sh.mu.Lock()
	if sh.shells[sh.pid] == sh {
		delete(sh.shells, sh.pid)
	}
	sh.mu.Unlock()
}

// subshell runs a function in a subshell, to its end, and returns its status.
func (sh *Shell) subshell(do func()) int {
	defer sh.end()
	return sh.process.outcome(guard(func() int {
		sh.top(do)
		return sh.finish()
	}))
}

// top runs what can be stopped by an error of expansion, as the top of a shell.
func (sh *Shell) top(do func()) (whole bool) {
	defer func() {
		switch e := recover().(type) {
		case nil:
		case discard:
			sh.status, whole = e.status, false
			sh.loops, sh.breaking, sh.skipping, sh.returning = 0, 0, 0, false
			sh.unchecked, sh.frames, sh.depth = 0, nil, sh.subshells
			sh.exiting = sh.options.on['e']
		case exit:
			sh.status, sh.exiting, whole = e.status, true, false
		default:
			panic(e)
		}
	}()
	do()
	return true
}

// discard is what a shell panics with when an error makes it leave what it does, up to the next command of the script,
// and exit when the error ends the shell.
type (
	discard struct{ status int }
	exit    struct{ status int }
)

// finish does what a shell does at its end, and returns its status.
func (sh *Shell) finish() int {
	action := sh.traps["EXIT"]
	if action != "" {
		delete(sh.traps, "EXIT")
		status := sh.status
		sh.exiting, sh.returning, sh.breaking, sh.skipping = false, false, 0, 0
		sh.unchecked = 0
		sh.trapping = "EXIT"
		sh.top(func() { sh.source(action, nil) })
		if !sh.exiting {
			sh.status = status
		}
	}
	return sh.status & 0xff
}

// Streams are the streams of a script. Nil ones are empty, or closed.
type Streams struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
}

// Run runs a script with arguments, waits for what it has begun in the background, and returns its exit status. The
// context ends it.
func (sh *Shell) Run(ctx context.Context, script string, args []string, streams Streams) int {
	sh.reset()
	process := sh.process
	stop := context.AfterFunc(ctx, func() { process.kill(sigTerm) })
	defer stop()
	for i, s := range []outside{{r: streams.Stdin}, {w: streams.Stdout}, {w: streams.Stderr}} {
		sh.setFD(i, newDescription(s))
	}
	sh.params = args
	sh.execute(script)
	status := guard(func() int {
		sh.script(strings.NewReader(script))
		return sh.finish()
	})
	sh.running.Wait()
	for i := range sh.fds {
		sh.setFD(i, nil)
	}
	return status
}

// execute tells a script that it is that of -c, unless it is a file's.
func (sh *Shell) execute(script string) {
	if sh.options.on['c'] = sh.name == "bash"; sh.options.on['c'] {
		sh.vars["BASH_EXECUTION_STRING"] = &variable{owner: sh.owner, str: script, set: true}
	}
}

// reset makes the shell ready for another script, however the last one has ended.
func (sh *Shell) reset() {
	for n := len(sh.frames) - 1; n >= 0; n-- {
		sh.leave(sh.frames[n])
	}
	ignored := sh.process.ignored
	sh.process = newProcess(nil)
	sh.process.ignored = ignored
	sh.frames, sh.jobs, sh.substitutions = nil, nil, nil
	sh.depth, sh.loops, sh.breaking, sh.skipping, sh.unchecked, sh.sourced = 0, 0, 0, 0, 0, 0
	sh.returning, sh.exiting, sh.kept, sh.fixed, sh.trapping, sh.text, sh.more = false, false, false, false, "", "", nil
	sh.pending.Store(nil)
}

// script runs a script line by line, so that what comes before a syntax error is done.
func (sh *Shell) script(r io.Reader) {
	sh.parsed(r, func(stmts []*syntax.Stmt) bool {
		sh.top(func() { sh.list(stmts) })
		return !sh.exiting && !sh.returning
	})
}

// parsed calls a function with the statements of each line of a script, until it returns false, and reports the first
// error in their syntax.
func (sh *Shell) parsed(r io.Reader, do func(stmts []*syntax.Stmt) bool) {
	for done := 0; ; {
		parser, line := newParser(), 0
		var failed error
		// The parser may go on after it was told to stop, and panic then: it is told that the text ends instead.
		text := &scriptReader{r: r}
		for stmts, err := range parser.InteractiveSeq(text) {
			switch {
			case text.over:
			case err != nil:
				failed = err
				text.over = true
			case !parser.Incomplete() && len(stmts) > 0:
				if line++; line > done {
					done = line
					text.over = !do(stmts)
				}
			}
		}
		if failed == nil {
			return
		}
		whole, ok := r.(*strings.Reader) // others cannot be read again
		if ok {
			_, _ = whole.Seek(0, io.SeekStart)
			script, _ := io.ReadAll(whole)
			var other string
			if other, ok = mended(string(script), failed); ok {
				r = strings.NewReader(other)
			}
		}
		if !ok {
			sh.syntaxError(failed)
			return
		}
	}
}

// source runs a text in this shell, as eval and traps do.
func (sh *Shell) source(script string, from *string) {
	if sh.depth++; sh.depth > maxDepth {
		sh.depth--
		sh.errorf("eval: maximum eval nesting level exceeded (%d)", maxDepth)
		panic(discard{1})
	}
	defer func() { sh.depth-- }()
	if from != nil {
		name := sh.text
		sh.text = *from
		defer func() { sh.text = name }()
	}
	sh.parsed(strings.NewReader(script), func(stmts []*syntax.Stmt) bool {
		sh.list(stmts)
		return !sh.stopping()
	})
}

// syntaxError reports that a script cannot be parsed.
func (sh *Shell) syntaxError(err error) {
	text := err.Error()
	if parse, ok := errors.AsType[syntax.ParseError](err); ok {
		sh.line = int(parse.Pos.Line())
		text = parse.Text
	} else if lang, ok := errors.AsType[syntax.LangError](err); ok {
		sh.line = int(lang.Pos.Line())
		text = lang.Feature + " is not a feature of bash"
	}
	sh.errorf("syntax error: %s", text)
	sh.status = 2
}

// errorf writes an error as bash does.
func (sh *Shell) errorf(format string, args ...any) {
	name := sh.name
	if sh.text != "" {
		name = sh.text
	}
	sh.print(2, fmt.Sprintf("%s: line %d: %s\n", name, sh.line, fmt.Sprintf(format, args...)))
}

// fatalf writes an error and ends the shell.
func (sh *Shell) fatalf(status int, format string, args ...any) {
	sh.errorf(format, args...)
	panic(exit{status})
}

// print writes to a descriptor.
func (sh *Shell) print(fd int, s string) error {
	d := sh.fd(fd)
	if d == nil {
		return command.ErrClosed
	}
	_, err := d.write(sh.process, []byte(s))
	return err
}

// maxDepth is how deeply functions, subshells and sourced scripts can be nested, so that a script that calls itself
// without an end gets an error before the stack has used up the memory.
const maxDepth = 1000
