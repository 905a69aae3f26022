package shell

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

const sigTerm = syscall.SIGTERM

// stopping says that the commands that follow are not run: after break, continue, return and exit.
func (sh *Shell) stopping() bool {
	return sh.breaking > 0 || sh.skipping > 0 || sh.returning || sh.exiting
}

// list runs statements, one after the other.
func (sh *Shell) list(stmts []*syntax.Stmt) {
	for _, st := range stmts {
		sh.statement(st)
		if sh.stopping() {
			return
		}
	}
}

// statement runs a statement.
func (sh *Shell) statement(st *syntax.Stmt) {
	sh.process.check()
	if list := sh.pending.Swap(nil); list != nil {
		for _, signal := range *list {
			sh.trap(signal)
		}
	}
	if sh.options.on['n'] {
		return
	}
	if st.Background {
		sh.background(st)
		return
	}
	if st.Negated {
		sh.unchecked++
		inner := *st
		inner.Negated = false
		sh.statement(&inner)
		sh.unchecked--
		if !sh.exiting && !sh.returning {
			sh.status = not(sh.status)
		}
		return
	}
	if !sh.fixed {
		sh.line = int(st.Pos().Line())
	}
	switch st.Cmd.(type) {
	case *syntax.ArithmCmd, *syntax.TestClause, *syntax.CaseClause, *syntax.DeclClause:
		sh.trap("DEBUG")
	}
	if call, ok := st.Cmd.(*syntax.CallExpr); ok || st.Cmd == nil {
		if commands, ok := sh.negated(call); ok {
			inner := *st
			inner.Cmd, inner.Negated = &syntax.Subshell{Lparen: st.Position, Stmts: commands, Rparen: st.End()}, true
			sh.statement(&inner)
			return
		}
		sh.simple(st, call)
		sh.checked()
		return
	}
	if len(st.Redirs) > 0 {
		before := len(sh.substitutions)
		u, ok := sh.redirect(st.Redirs)
		if !ok {
			sh.status = 1
			sh.pipeStatus = []int{1}
			sh.checked()
			return
		}
		defer sh.closeSubstitutions(before)
		defer sh.restore(u)
	}
	sh.compound(st.Cmd)
	switch c := st.Cmd.(type) {
	case *syntax.Subshell, *syntax.ArithmCmd, *syntax.TestClause, *syntax.LetClause, *syntax.DeclClause:
		sh.pipeStatus = []int{sh.status}
		sh.checked()
	case *syntax.BinaryCmd:
		if c.Op == syntax.Pipe || c.Op == syntax.PipeAll {
			sh.checked()
		}
	}
}

// negated returns what is in the parentheses of !(commands), which the parser takes for a pattern also where there are
// none, without extglob.
func (sh *Shell) negated(c *syntax.CallExpr) ([]*syntax.Stmt, bool) {
	if c == nil || len(c.Args) != 1 || len(c.Args[0].Parts) != 1 {
		return nil, false
	}
	pattern, ok := c.Args[0].Parts[0].(*syntax.ExtGlob)
	if !ok || pattern.Op != syntax.GlobExcept || sh.shopt["extglob"] {
		return nil, false
	}
	file, err := newParser().Parse(strings.NewReader(pattern.Pattern.Value), "")
	if err != nil {
		return nil, false
	}
	return file.Stmts, true
}

func not(status int) int {
	if status == 0 {
		return 1
	}
	return 0
}

// checked ends the shell after a command that has failed, if "set -e" wants it, and runs the trap ERR.
func (sh *Shell) checked() {
	if sh.status == 0 || sh.unchecked > 0 || sh.stopping() {
		return
	}
	sh.trap("ERR")
	if sh.options.on['e'] && !sh.exiting {
		sh.exiting = true
	}
}

// trap runs the action for a signal, or something like one, and keeps the status.
func (sh *Shell) trap(name string) bool {
	action, ok := sh.traps[name]
	if !ok || sh.trapping == name {
		return ok
	}
	if action == "" {
		return true
	}
	if sh.inFunction() >= 0 && ((name == "ERR" && !sh.options.on['E']) ||
		((name == "DEBUG" || name == "RETURN") && !sh.options.on['T'])) {
		return true
	}
	status, trapping, pipeStatus, line, fixed := sh.status, sh.trapping, sh.pipeStatus, sh.line, sh.fixed
	sh.trapping, sh.fixed = name, true
	sh.source(action, nil)
	sh.trapping, sh.fixed = trapping, fixed
	if !sh.exiting && !sh.returning {
		sh.status, sh.pipeStatus, sh.line = status, pipeStatus, line
	}
	return true
}

// compound runs a command that is not a simple one.
func (sh *Shell) compound(cmd syntax.Command) {
	switch c := cmd.(type) {
	case *syntax.Block:
		sh.list(c.Stmts)
	case *syntax.Subshell:
		sub := sh.nested()
		sh.status = sub.subshell(func() { sub.list(c.Stmts) })
		sh.line = int(c.Rparen.Line())
	case *syntax.BinaryCmd:
		sh.binary(c)
	case *syntax.IfClause:
		sh.ifClause(c)
	case *syntax.WhileClause:
		sh.while(c)
	case *syntax.ForClause:
		sh.forClause(c)
	case *syntax.CaseClause:
		sh.caseClause(c)
	case *syntax.FuncDecl:
		sh.declare(c)
	case *syntax.ArithmCmd:
		sh.xtrace(func() string { return "(( " + strings.Trim(source(c), "()") + " ))" })
		sh.status = calculated(func() int64 { return sh.arithmetic(c.X) })
	case *syntax.LetClause:
		sh.status = calculated(func() (value int64) {
			for _, x := range c.Exprs {
				value = sh.arithmetic(x)
			}
			return value
		})
	case *syntax.TestClause:
		sh.status = sh.testClause(c)
	case *syntax.DeclClause:
		sh.declClause(c)
	case *syntax.TimeClause:
		sh.timeClause(c)
	case *syntax.CoprocClause:
		sh.coproc(c)
	default:
		sh.errorf("%s is not supported", source(cmd))
		sh.status = 1
	}
}

// nested returns a subshell, or ends the shell if there are too many within each other.
func (sh *Shell) nested() *Shell {
	if sh.depth >= maxDepth {
		sh.fatalf(1, "fork: Resource temporarily unavailable: subshells are nested more than %d deep", maxDepth)
	}
	return sh.fork()
}

func (sh *Shell) binary(c *syntax.BinaryCmd) {
	switch c.Op {
	case syntax.AndStmt, syntax.OrStmt:
		sh.unchecked++
		sh.statement(c.X)
		sh.unchecked--
		if !sh.stopping() && (sh.status == 0) == (c.Op == syntax.AndStmt) {
			sh.statement(c.Y)
		}
	default:
		sh.pipeline(c)
	}
}

// pipeline runs the commands of a pipeline at once, each in a subshell.
func (sh *Shell) pipeline(c *syntax.BinaryCmd) {
	type part struct {
		st  *syntax.Stmt
		all bool // its errors go into the pipe, too
	}
	parts := []part{{st: c.Y}}
	for {
		parts = append(parts, part{c.X, c.Op == syntax.PipeAll})
		next, ok := c.X.Cmd.(*syntax.BinaryCmd)
		if !ok || (next.Op != syntax.Pipe && next.Op != syntax.PipeAll) || c.X.Negated || len(c.X.Redirs) > 0 {
			break
		}
		parts = append(parts[:len(parts)-1], part{next.Y, c.Op == syntax.PipeAll})
		c = next
	}
	slices.Reverse(parts)
	statuses := make([]int, len(parts))
	finished := make(chan struct{}, len(parts))
	var input *description
	running := 0
	for i, part := range parts {
		last := i == len(parts)-1
		if last && sh.shopt["lastpipe"] {
			old := sh.swapFD(0, input)
			sh.statement(part.st)
			statuses[i] = sh.status
			sh.setFD(0, old)
			break
		}
		sub := sh.nested()
		if input != nil {
			sub.setFD(0, input)
			input = nil
		}
		if !last {
			reading, writing := newPipe()
			sub.setFD(1, writing)
			if part.all {
				sub.setFD(2, writing.keep())
			}
			input = reading
		}
		do := func() { statuses[i] = sub.subshell(func() { sub.statement(part.st) }) }
		if last {
			do()
			break
		}
		running++
		go func() {
			defer func() { finished <- struct{}{} }()
			do()
		}()
	}
	for range running {
		<-finished
	}
	sh.pipeStatus = statuses
	sh.status = statuses[len(statuses)-1]
	if sh.options.on[pipefail] {
		for _, status := range statuses {
			if status != 0 {
				sh.status = status
			}
		}
	}
}

func (sh *Shell) condition(stmts []*syntax.Stmt) bool {
	sh.unchecked++
	sh.list(stmts)
	sh.unchecked--
	return sh.status == 0
}

func (sh *Shell) ifClause(c *syntax.IfClause) {
	for ; c != nil; c = c.Else {
		if !c.ThenPos.IsValid() || len(c.Cond) == 0 { // else
			sh.list(c.Then)
			return
		}
		ok := sh.condition(c.Cond)
		if sh.stopping() {
			return
		}
		if ok {
			sh.list(c.Then)
			return
		}
	}
	sh.status = 0
}

// turn runs the body of a loop once, and says whether to go on.
func (sh *Shell) turn(body []*syntax.Stmt) bool {
	sh.list(body)
	return sh.loopGoesOn()
}

func (sh *Shell) loopGoesOn() bool {
	switch {
	case sh.breaking > 0:
		sh.breaking--
		return false
	case sh.skipping > 0:
		sh.skipping--
		return sh.skipping == 0
	}
	return !sh.returning && !sh.exiting
}

func (sh *Shell) while(c *syntax.WhileClause) {
	sh.loops++
	defer func() { sh.loops-- }()
	status := 0
	for {
		ok := sh.condition(c.Cond)
		if sh.stopping() {
			if !sh.loopGoesOn() {
				return
			}
			continue
		}
		if ok == c.Until {
			break
		}
		if !sh.turn(c.Do) {
			return
		}
		status = sh.status
	}
	sh.status = status
}

func (sh *Shell) forClause(c *syntax.ForClause) {
	if c.Select {
		sh.errorf("select: there is no terminal to choose at: use a case statement, or read")
		sh.status = 1
		return
	}
	sh.loops++
	defer func() { sh.loops-- }()
	if loop, ok := c.Loop.(*syntax.CStyleLoop); ok {
		sh.status = 0
		status := 0
		if loop.Init != nil {
			sh.arithmetic(loop.Init)
		}
		for loop.Cond == nil || sh.arithmetic(loop.Cond) != 0 {
			if !sh.turn(c.Do) {
				return
			}
			status = sh.status
			if loop.Post != nil {
				sh.arithmetic(loop.Post)
			}
			sh.process.check()
		}
		sh.status = status
		return
	}
	loop := c.Loop.(*syntax.WordIter)
	if !validName(loop.Name.Value) {
		sh.errorf("`%s': not a valid identifier", loop.Name.Value)
		sh.status = 1
		return
	}
	items := sh.params
	if loop.InPos.IsValid() {
		items = sh.expandWords(loop.Items)
	}
	if len(items) == 0 {
		sh.status = 0
	}
	line := sh.line
	for _, item := range items {
		sh.line = line
		sh.trap("DEBUG")
		sh.xtrace(func() string { return "for " + loop.Name.Value + " in " + wordsSource(loop.Items) })
		if v := sh.vars[loop.Name.Value]; v != nil && v.nameref {
			sh.own(loop.Name.Value).str = item
		} else {
			sh.assign(loop.Name.Value, item)
		}
		if !sh.turn(c.Do) {
			return
		}
	}
}

func wordsSource(words []*syntax.Word) string {
	var list []string
	for _, word := range words {
		list = append(list, source(word))
	}
	return strings.Join(list, " ")
}

func (sh *Shell) caseClause(c *syntax.CaseClause) {
	value := sh.literal(c.Word)
	sh.xtrace(func() string { return "case " + source(c.Word) + " in" })
	sh.status = 0
	through := false
	for _, item := range c.Items {
		match := through
		for _, word := range item.Patterns {
			if match {
				break
			}
			match = sh.matches(sh.pattern(word), value, sh.shopt["nocasematch"])
		}
		if !match {
			continue
		}
		sh.list(item.Stmts)
		if sh.stopping() {
			return
		}
		switch item.Op {
		case syntax.Fallthrough:
			through = true
		case syntax.Resume:
			through = false
		default:
			return
		}
	}
}

func (sh *Shell) declare(c *syntax.FuncDecl) {
	name := c.Name.Value
	sh.unshare()
	sh.functions[name] = &function{body: c.Body, file: sh.text}
	sh.status = 0
}

// simple runs a simple command.
func (sh *Shell) simple(st *syntax.Stmt, c *syntax.CallExpr) {
	sh.substitute = -1
	before := len(sh.substitutions)
	var args []string
	var assigns []*syntax.Assign
	if c != nil {
		args, assigns = sh.expandWords(c.Args), c.Assigns
	}
	if len(args) > 0 && sh.shopt["expand_aliases"] && len(sh.aliases) > 0 && sh.alias(st, c) {
		return
	}
	if len(args) == 0 {
		sh.bare = true
		u, ok := sh.redirect(st.Redirs)
		sh.bare = false
		if !ok {
			sh.status = 1
			return
		}
		sh.restore(u)
		for _, as := range assigns {
			sh.assignment(as)
		}
		sh.status = max(0, sh.substitute)
		sh.pipeStatus = []int{sh.status}
		return
	}
	// What the command's words expand is expanded before its own assignments, which see those before them.
	var more []string
	for _, as := range assigns {
		if as.Name == nil || as.Index != nil || as.Array != nil {
			continue
		}
		value := ""
		back := sh.temporary(more)
		if as.Value != nil {
			value = sh.assigned1(as.Value)
		}
		if as.Append {
			value = sh.value(as.Name.Value) + value
		}
		back()
		if v := sh.vars[as.Name.Value]; v != nil && v.readonly {
			sh.errorf("%s: readonly variable", as.Name.Value)
			sh.status = 1
			return
		}
		more = append(more, as.Name.Value+"="+value)
	}
	sh.xtrace(func() string {
		quoted := make([]string, 0, len(args)+len(more))
		for _, entry := range more {
			name, value, _ := strings.Cut(entry, "=")
			quoted = append(quoted, name+"="+quoteTrace(value))
		}
		for _, arg := range args {
			quoted = append(quoted, quoteTrace(arg))
		}
		return strings.Join(quoted, " ")
	})
	sh.trap("DEBUG")
	u, ok := sh.redirect(st.Redirs)
	if !ok {
		sh.status = 1
		sh.pipeStatus = []int{1}
		return
	}
	sh.kept = false
	func() {
		defer func() {
			if sh.kept {
				sh.kept = false
				u.keep()
			} else {
				sh.restore(u)
			}
		}()
		sh.status = sh.call(args, more)
	}()
	sh.closeSubstitutions(before)
	sh.pipeStatus = []int{sh.status}
	sh.lastArg = args[len(args)-1]
}

// call runs a command that has been expanded: a function, a builtin, or one of the table.
func (sh *Shell) call(args, more []string) int {
	name := args[0]
	if f := sh.functions[name]; f != nil {
		defer sh.temporary(more)()
		return sh.callFunction(f, args)
	}
	if b, ok := builtins[name]; ok && !sh.options.disabled[name] {
		defer sh.temporary(more)()
		return b(sh, args)
	}
	return sh.external(args, more)
}

// temporary sets the variables that a command has before its name, and returns what takes that back.
func (sh *Shell) temporary(more []string) func() {
	if len(more) == 0 {
		return func() {}
	}
	f := frame{saved: map[string]*variable{}}
	for _, entry := range more {
		name, value, _ := strings.Cut(entry, "=")
		if _, ok := f.saved[name]; !ok {
			f.saved[name] = sh.vars[name]
		}
		sh.vars[name] = &variable{owner: sh.owner, str: value, set: true, exported: true}
		sh.assigned(name, value)
	}
	return func() { sh.leave(f) }
}

// callFunction calls a function. The first argument is its name.
func (sh *Shell) callFunction(f *function, args []string) int {
	if sh.depth++; sh.depth > maxDepth {
		sh.depth--
		sh.errorf("%s: maximum function nesting level exceeded (%d)", args[0], maxDepth)
		panic(discard{1})
	}
	params, loops, line, optionAt := sh.params, sh.loops, sh.line, sh.optionAt
	from := f.file
	if from == "" {
		if from = sh.name; sh.name == "bash" {
			from = "environment"
		}
	}
	sh.frames = append(sh.frames, frame{name: args[0], line: line, file: from})
	sh.params, sh.loops = args[1:], 0
	text, fixed := sh.text, sh.fixed
	sh.fixed = false
	if f.file != "" {
		sh.text = f.file
	}
	defer func() {
		n := len(sh.frames) - 1
		sh.leave(sh.frames[n])
		sh.frames = sh.frames[:n]
		sh.params, sh.loops, sh.line, sh.text, sh.optionAt = params, loops, line, text, optionAt
		sh.fixed = fixed
		sh.depth--
	}()
	sh.statement(f.body)
	sh.returning = false
	sh.breaking, sh.skipping = 0, 0
	sh.trap("RETURN")
	return sh.status
}

// external runs a command of the table, or a script.
func (sh *Shell) external(args, more []string) int {
	name := args[0]
	if strings.Contains(name, "/") {
		dir, base := name[:strings.LastIndex(name, "/")], name[strings.LastIndex(name, "/")+1:]
		if strings.Contains(":"+searchPath+":/sbin:/usr/sbin:", ":"+dir+":") && sh.find(base) != nil {
			return sh.runCommand(sh.find(base), append([]string{name}, args[1:]...), more)
		}
		return sh.scriptFile(name, args, more)
	}
	cmd := sh.find(name)
	path := sh.value("PATH")
	for _, entry := range more {
		if value, ok := strings.CutPrefix(entry, "PATH="); ok {
			path = value
		}
	}
	if cmd == nil || path != searchPath {
		if file := sh.inPath(name, path); file != "" {
			return sh.scriptFile(file, args, more)
		}
	}
	if cmd == nil {
		if f := sh.functions["command_not_found_handle"]; f != nil {
			return sh.callFunction(f, append([]string{"command_not_found_handle"}, args...))
		}
		sh.errorf("%s: command not found", name)
		if hint := sh.hint(name); hint != "" {
			_ = sh.print(2, hint+"\n")
		}
		return 127
	}
	return sh.runCommand(cmd, args, more)
}

// find returns a command of the table, or nil.
func (sh *Shell) find(name string) *command.Command {
	if cmd := sh.table[name]; cmd != nil {
		return cmd
	}
	return shells[name]
}

// inPath returns a file with a name in a directory of the path that is not a system's.
func (sh *Shell) inPath(name, path string) string {
	for dir := range strings.SplitSeq(path, ":") {
		if dir == "" {
			dir = "."
		}
		file := dir + "/" + name
		if sh.table[name] != nil && strings.Contains(":"+searchPath+":", ":"+dir+":") {
			return ""
		}
		if info, err := sh.files.Stat(file); err == nil && info.Mode().IsRegular() {
			return file
		}
	}
	return ""
}

// hint says what there is instead of a command.
func (sh *Shell) hint(name string) string {
	if text, ok := missing[name]; ok {
		return name + " is not in this shell: " + text
	}
	if nearest := sh.table.Nearest(name); nearest != "" {
		return "the nearest command here is " + nearest
	}
	return ""
}

// missing are commands that cannot be here, and what to do instead.
var missing = map[string]string{
	"git": "compare files with diff, and keep copies with cp; the user can undo what each call has changed",
	"pip": noPython, "pip3": noPython, "uv": noPython, "conda": noPython,
	"npm": noNode, "npx": noNode, "yarn": noNode, "pnpm": noNode,
	"sudo": "nothing needs it: run the command itself", "su": "there is one user, whose files all are",
	"apt": noPackages, "apt-get": noPackages, "yum": noPackages, "dnf": noPackages, "apk": noPackages,
	"brew": noPackages,
	"ssh":  noMachines, "scp": noMachines, "docker": noMachines, "podman": noMachines, "ping": noMachines,
	"systemctl": noMachines, "service": noMachines, "ps": noMachines, "top": noMachines,
	"gcc": noCompilers, "cc": noCompilers, "g++": noCompilers, "go": noCompilers, "cargo": noCompilers,
}

const (
	noPackages  = "no packages can be installed; use the commands that \"compgen -c\" lists"
	noMachines  = "there are no other processes or machines; do it with the commands here, or ask the user"
	noCompilers = "there are no compilers; write it for node or python3"
	noPython    = "import what python3 has; packages of pure Python can be put into the project's files"
	noNode      = "use modules that are in the project's files"
)

// runCommand runs a command of the table, to its end.
func (sh *Shell) runCommand(cmd *command.Command, args, more []string) int {
	file := args[0]
	if !strings.Contains(file, "/") {
		file = "/usr/bin/" + file
	}
	return sh.runWith(cmd, args, env{sh, append(slices.Clip(more), "_="+file)})
}

func (sh *Shell) runWith(cmd *command.Command, args []string, env command.Env) int {
	if err := sh.approved(cmd, args); err != nil {
		sh.errorf("%s: %v", args[0], err)
		return 126
	}
	p := newProcess(sh.process)
	defer p.over()
	status := guard(func() (status int) {
		defer func() {
			if e := recover(); e != nil {
				bug, ok := e.(runtime.Error)
				if !ok {
					panic(e)
				}
				sh.errorf("%s: this command has a bug, which has ended it: %v", args[0], bug)
				status = 128 + int(syscall.SIGABRT)
			}
		}()
		return cmd.Do(p, &command.Context{
			Args: args, Stdin: sh.reader(0, p), Stdout: sh.writer(1, p), Stderr: sh.writer(2, p),
			Files: sh.files, Env: env, Host: host{sh, p}, Outside: sh.outside,
		}) & 0xff
	})
	return p.outcome(status)
}

// host runs commands for commands.
type host struct {
	sh *Shell
	p  *process
}

func (h host) Find(name string) *command.Command { return h.sh.find(name) }
func (h host) Names() []string                   { return h.sh.table.Names() }

// Run runs a command for another one, in a shell of its own.
func (h host) Run(c *command.Context, call command.Call) int {
	if h.sh.depth >= maxDepth {
		c.Errorf("%s: commands are nested more than %d deep", call.Args[0], maxDepth)
		return 126
	}
	env := call.Env
	if env == nil {
		env = c.Env
	}
	sh := h.sh.fresh(h.p, env.List())
	defer sh.end()
	sh.files.Dir = c.Dir
	if call.Dir != "" {
		sh.files.Dir = call.Dir
	}
	for i, s := range []any{call.Stdin, call.Stdout, call.Stderr} {
		if s == nil {
			s = []any{c.Stdin, c.Stdout, c.Stderr}[i]
		}
		sh.setFD(i, describe(s))
	}
	if call.Context != nil {
		stop := context.AfterFunc(call.Context, func() { sh.process.kill(sigTerm) })
		defer stop()
	}
	return guard(func() int {
		if cmd := sh.find(call.Args[0]); cmd != nil {
			return sh.runWith(cmd, call.Args, env)
		}
		if sh.location(call.Args[0]) == "" {
			missing := call.Missing
			if missing == "" {
				missing = "%s"
			}
			c.Errorf(missing+": No such file or directory", call.Args[0])
			return 127
		}
		return sh.external(call.Args, nil)
	})
}

// describe returns a description of a stream.
func describe(s any) *description {
	switch s := s.(type) {
	case stream:
		return s.d.keep()
	case closed:
		return nil
	case command.File:
		return newDescription(s)
	}
	var o outside
	o.r, _ = s.(interface {
		Read([]byte) (int, error)
	})
	o.w, _ = s.(interface {
		Write([]byte) (int, error)
	})
	return newDescription(o)
}

// fresh returns a new shell that belongs to a process: it has the environment, and nothing else of this one.
func (sh *Shell) fresh(p *process, env []string) *Shell {
	c := &Shell{state: state{
		world: sh.world, name: "bash", process: newProcess(p), owner: new(owner), vars: map[string]*variable{},
		functions: map[string]*function{}, substitute: -1, depth: sh.depth + 1, files: sh.files,
	}}
	c.pid = c.process.id + firstID
	c.mu.Lock()
	c.shells[c.pid] = c
	c.mu.Unlock()
	c.files.Device = c.device
	for name, f := range sh.functions {
		if f.exported {
			c.functions[name] = f
		}
	}
	c.fds = slices.Clone(sh.fds)
	for _, d := range c.fds {
		if d != nil {
			d.keep()
		}
	}
	c.begin(env)
	return c
}

// scriptFile runs a file as a script. The first argument is what it was called by.
func (sh *Shell) scriptFile(file string, args, more []string) int {
	info, err := sh.files.Stat(file)
	if err != nil {
		sh.errorf("%s: %s", args[0], command.Text(err))
		return 127
	}
	if info.IsDir() {
		sh.errorf("%s: Is a directory", args[0])
		return 126
	}
	data, err := sh.files.ReadFile(file)
	if err != nil {
		sh.errorf("%s: %s", args[0], command.Text(err))
		return 126
	}
	first, _, _ := strings.Cut(string(data[:min(len(data), 4096)]), "\n")
	if strings.Contains(first, "\x00") {
		sh.errorf("%s: cannot execute binary file: Exec format error", args[0])
		return 126
	}
	interpreter := []string{"bash"}
	if line, ok := strings.CutPrefix(first, "#!"); ok {
		interpreter = strings.Fields(line)
		if len(interpreter) > 1 && strings.HasSuffix(interpreter[0], "/env") {
			interpreter = interpreter[1:]
			if interpreter[0] == "-S" {
				interpreter = interpreter[1:]
			}
		}
		if len(interpreter) == 0 {
			interpreter = []string{"bash"}
		}
	}
	name := interpreter[0][strings.LastIndex(interpreter[0], "/")+1:]
	cmd := sh.find(name)
	if cmd == nil {
		sh.errorf("%s: %s: bad interpreter: No such file or directory", args[0], interpreter[0])
		return 126
	}
	return sh.runCommand(cmd, slices.Concat([]string{name}, interpreter[1:], []string{file}, args[1:]), more)
}

// background begins a statement in the background.
func (sh *Shell) background(st *syntax.Stmt) {
	inner := *st
	inner.Background = false
	sub := sh.nested()
	if d := sub.fd(0); d != nil && !hasInput(st.Redirs) && len(sh.fds) > 0 && d == sh.fds[0] {
		sub.setFD(0, newDescription(&text{}))
	}
	j := sh.spawn(sub, func() { sub.statement(&inner) })
	j.text = strings.TrimSuffix(source(st), " &")
	sh.status = 0
}

func hasInput(redirs []*syntax.Redirect) bool {
	return slices.ContainsFunc(redirs, func(r *syntax.Redirect) bool { return r.Op == syntax.RdrIn })
}

// spawn begins a job.
func (sh *Shell) spawn(sub *Shell, do func()) *job {
	j := &job{process: sub.process, id: sub.process.id + firstID, done: make(chan struct{}), number: 1}
	if n := len(sh.jobs); n > 0 {
		j.number = sh.jobs[n-1].number + 1
	}
	sh.jobs = append(sh.jobs, j)
	sh.lastJob = j.id
	sh.mu.Lock()
	sh.all[j.id] = j
	sh.mu.Unlock()
	sh.running.Add(1)
	go func() {
		defer sh.running.Done()
		defer close(j.done)
		j.status = sub.subshell(do)
		sh.mu.Lock()
		delete(sh.all, j.id)
		sh.mu.Unlock()
	}()
	return j
}

// A job is something that runs in the background.
type job struct {
	process *process
	id      int
	number  int
	text    string
	done    chan struct{}
	status  int
}

func (j *job) ended() bool {
	select {
	case <-j.done:
		return true
	default:
		return false
	}
}

// wait waits for a job, unless the shell is killed, and returns its status.
func (sh *Shell) wait(j *job) int {
	select {
	case <-j.done:
	case <-sh.process.Done():
		sh.process.check()
	}
	return j.status
}

func (sh *Shell) timeClause(c *syntax.TimeClause) {
	start := time.Now()
	if c.Stmt != nil {
		sh.statement(c.Stmt)
	}
	took := time.Since(start)
	if c.PosixFormat {
		_ = sh.print(2, fmt.Sprintf("real %.2f\nuser %.2f\nsys 0.00\n", took.Seconds(), took.Seconds()))
		return
	}
	minutes := int(took.Minutes())
	text := fmt.Sprintf("%dm%.3fs", minutes, (took - time.Duration(minutes)*time.Minute).Seconds())
	_ = sh.print(2, "\nreal\t"+text+"\nuser\t"+text+"\nsys\t0m0.000s\n")
}

// coproc begins a coprocess, whose pipes are in an array.
func (sh *Shell) coproc(c *syntax.CoprocClause) {
	name := "COPROC"
	if c.Name != nil {
		name = sh.literal(c.Name)
	}
	sub := sh.nested()
	inReading, inWriting := newPipe()
	outReading, outWriting := newPipe()
	sub.setFD(0, inReading)
	sub.setFD(1, outWriting)
	j := sh.spawn(sub, func() { sub.statement(c.Stmt) })
	j.text = source(c.Stmt)
	from := sh.freeFD(60)
	sh.setFD(from, outReading)
	to := sh.freeFD(60)
	sh.setFD(to, inWriting)
	v := sh.own(name)
	v.array(indexed)
	v.putAt(0, strconv.Itoa(from))
	v.putAt(1, strconv.Itoa(to))
	sh.assign(name+"_PID", strconv.Itoa(j.id))
	sh.status = 0
}

// processSubstitution begins a process and returns the name of the pipe to it, or from it.
func (sh *Shell) processSubstitution(ps *syntax.ProcSubst) string {
	sub := sh.nested()
	reading, writing := newPipe()
	fd := firstSubstitution
	for fd > 10 && sh.fd(fd) != nil {
		fd--
	}
	sh.substitutions = append(sh.substitutions, fd)
	if ps.Op == syntax.CmdIn {
		sub.setFD(1, writing)
		sh.setFD(fd, reading)
	} else {
		sub.setFD(0, reading)
		sh.setFD(fd, writing)
	}
	jobs := sh.jobs
	sh.spawn(sub, func() { sub.list(ps.Stmts) })
	sh.jobs = jobs
	return "/dev/fd/" + strconv.Itoa(fd)
}

// firstSubstitution is the first descriptor of process substitutions. The next ones are below it.
const firstSubstitution = 63

// closeSubstitutions closes the pipes of process substitutions that a command has had: all but those that there were
// before.
func (sh *Shell) closeSubstitutions(before int) {
	for _, fd := range sh.substitutions[min(before, len(sh.substitutions)):] {
		d := sh.fd(fd)
		if d == nil || d.pipe == nil {
			continue
		}
		writing := d.writing
		sh.setFD(fd, nil)
		if writing {
			runtime.Gosched()
		}
	}
	sh.substitutions = sh.substitutions[:min(before, len(sh.substitutions))]
}

// xtrace writes a command before it is run, after "set -x".
func (sh *Shell) xtrace(text func() string) {
	if !sh.options.on['x'] || sh.trapping == "PS4" {
		return
	}
	prefix := sh.value("PS4")
	if strings.ContainsAny(prefix, "$`") {
		trapping := sh.trapping
		sh.trapping = "PS4"
		prefix = sh.expandText(prefix)
		sh.trapping = trapping
	}
	_ = sh.print(2, prefix+text()+"\n")
}
