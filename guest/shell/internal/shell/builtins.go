package shell

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/patterns"
)

// A builtin is a command that is the shell's own. The first argument is its name.
type builtin func(sh *Shell, args []string) int

// builtins are the builtins by their names. declare, local, export, readonly, typeset and let are a part of the
// grammar.
var builtins map[string]builtin

func init() {
	// They refer to each other.
	builtins = map[string]builtin{
		":": builtinTrue, "true": builtinTrue, "false": builtinFalse, "echo": builtinEcho, "printf": builtinPrintf,
		"test": builtinTest, "[": builtinTest, "cd": builtinCd, "pwd": builtinPwd, "pushd": builtinPushd,
		"popd": builtinPopd, "dirs": builtinDirs, "set": builtinSet, "shopt": builtinShopt, "shift": builtinShift,
		"unset": builtinUnset, "exit": builtinExit, "logout": builtinExit, "return": builtinReturn,
		"break":    builtinBreak,
		"continue": builtinBreak, "eval": builtinEval, "source": builtinSource, ".": builtinSource, "exec": builtinExec,
		"command": builtinCommand, "builtin": builtinBuiltin, "type": builtinType, "hash": builtinHash,
		"read": builtinRead, "mapfile": builtinMapfile, "readarray": builtinMapfile, "getopts": builtinGetopts,
		"trap": builtinTrap, "wait": builtinWait, "jobs": builtinJobs, "kill": builtinKill, "disown": builtinTrue,
		"fg": builtinFg, "bg": builtinBg, "alias": builtinAlias, "unalias": builtinUnalias, "times": builtinTimes,
		"umask": builtinUmask, "ulimit": builtinUlimit, "caller": builtinCaller, "enable": builtinEnable,
		"compgen": builtinCompgen, "complete": builtinTrue, "compopt": builtinTrue, "bind": builtinTrue,
		"history": builtinTrue, "help": builtinHelp, "suspend": builtinTrue, "let": builtinLet,
		"declare": builtinDeclare, "typeset": builtinDeclare, "local": builtinDeclare, "export": builtinDeclare,
		"readonly": builtinDeclare,
	}
}

func builtinTrue(*Shell, []string) int  { return 0 }
func builtinFalse(*Shell, []string) int { return 1 }

// out writes output, and reports if that fails.
func (sh *Shell) out(name, s string) int {
	if err := sh.print(1, s); err != nil {
		sh.errorf("%s: write error: %s", name, command.Text(err))
		return 1
	}
	return 0
}

// usage reports that a builtin was used in a wrong way.
func (sh *Shell) usage(name, problem, usage string) int {
	sh.errorf("%s: %s", name, problem)
	_ = sh.print(2, name+": usage: "+usage+"\n")
	return 2
}

// A given is an option of a builtin: its letter, and its argument if it has one.
type given struct {
	letter byte
	value  string
}

// getopt reads the options of a builtin. Letters has them, a colon behind those that have an argument; usage is how the
// builtin is used, from its name on.
func (sh *Shell) getopt(args []string, letters, usage string) (options []given, rest []string, ok bool) {
	name, rest := args[0], args[1:]
	for len(rest) > 0 && len(rest[0]) > 1 && rest[0][0] == '-' {
		word := rest[0]
		rest = rest[1:]
		if word == "--" {
			break
		}
		for i := 1; i < len(word); i++ {
			g := given{letter: word[i]}
			switch at := strings.IndexByte(letters, word[i]); {
			case at < 0 || word[i] == ':':
				sh.usage(name, "-"+word[i:i+1]+": invalid option", usage)
				return nil, nil, false
			case at+1 < len(letters) && letters[at+1] == ':':
				if g.value = word[i+1:]; g.value == "" {
					if len(rest) == 0 {
						sh.usage(name, "-"+word[i:i+1]+": option requires an argument", usage)
						return nil, nil, false
					}
					g.value, rest = rest[0], rest[1:]
				}
				i = len(word)
			}
			options = append(options, g)
		}
	}
	return options, rest, true
}

// Echo returns what echo writes. It is also the command of that name.
func Echo(args []string, xpg bool) string {
	newline, expand := true, xpg
options:
	for len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' {
		if strings.Trim(args[0][1:], "neE") != "" {
			break options
		}
		for _, letter := range args[0][1:] {
			switch letter {
			case 'n':
				newline = false
			case 'e':
				expand = true
			case 'E':
				expand = false
			}
		}
		args = args[1:]
	}
	text := strings.Join(args, " ")
	if expand {
		var whole bool
		if text, whole = escapes(text, echoEscapes); !whole {
			return text
		}
	}
	if newline {
		text += "\n"
	}
	return text
}

func builtinEcho(sh *Shell, args []string) int {
	return sh.out("echo", Echo(args[1:], sh.shopt["xpg_echo"]))
}

func builtinCd(sh *Shell, args []string) int {
	args = args[1:]
	for len(args) > 0 && (args[0] == "-L" || args[0] == "-P" || args[0] == "-e" || args[0] == "--") {
		args = args[1:]
	}
	if len(args) > 1 {
		sh.errorf("cd: too many arguments")
		return 1
	}
	var dir string
	show := false
	switch {
	case len(args) == 0:
		var ok bool
		if dir, ok = sh.get("HOME"); !ok {
			sh.errorf("cd: HOME not set")
			return 1
		}
	case args[0] == "-":
		var ok bool
		if dir, ok = sh.get("OLDPWD"); !ok {
			sh.errorf("cd: OLDPWD not set")
			return 1
		}
		show = true
	default:
		dir = args[0]
	}
	if cdpath := sh.value("CDPATH"); cdpath != "" && !strings.HasPrefix(dir, "/") && !strings.HasPrefix(dir, ".") {
		for base := range strings.SplitSeq(cdpath, ":") {
			if info, err := sh.files.Stat(path.Join(base, dir)); base != "" && err == nil && info.IsDir() {
				dir, show = path.Join(base, dir), true
				break
			}
		}
	}
	if status := sh.chdir("cd", dir); status != 0 {
		return status
	}
	if show {
		return sh.out("cd", sh.files.Dir+"\n")
	}
	return 0
}

// chdir changes the working directory.
func (sh *Shell) chdir(name, dir string) int {
	if dir == "" {
		return 0
	}
	info, err := sh.files.Stat(dir)
	for i := range len(dir) {
		// What is before ".." must be there, too.
		if strings.HasPrefix(dir[i:], "/..") && err == nil && i > 0 {
			_, err = sh.files.Stat(dir[:i] + "/")
		}
	}
	if err == nil && !info.IsDir() {
		err = syscall.ENOTDIR
	}
	if err != nil {
		sh.errorf("%s: %s: %s", name, dir, command.Text(err))
		return 1
	}
	sh.assign("OLDPWD", sh.files.Dir)
	sh.files.Dir = sh.files.Path(dir)
	sh.assign("PWD", sh.files.Dir)
	return 0
}

func builtinPwd(sh *Shell, args []string) int {
	for _, arg := range args[1:] {
		if len(arg) > 1 && arg[0] == '-' && strings.Trim(arg[1:], "LP") != "" {
			return sh.usage("pwd", arg[:2]+": invalid option", "pwd [-LP]")
		}
	}
	return sh.out("pwd", sh.files.Dir+"\n")
}

// stackUsage is how pushd, popd and dirs are used.
var stackUsage = map[string]string{"pushd": "pushd [-n] [+N | -N | dir]", "popd": "popd [-n] [+N | -N]",
	"dirs": "dirs [-clpv] [+N] [-N]"}

// badNumber reports an argument that begins as a number does, but is none.
func (sh *Shell) badNumber(name, arg string) int {
	return sh.usage(name, arg+": invalid number", stackUsage[name])
}

func builtinPushd(sh *Shell, args []string) int {
	args = args[1:]
	literal := len(args) > 0 && args[0] == "--"
	if literal {
		args = args[1:]
	}
	if len(args) > 1 {
		sh.errorf("pushd: too many arguments")
		return 1
	}
	if len(args) == 0 {
		if len(sh.dirs) == 0 {
			sh.errorf("pushd: no other directory")
			return 1
		}
		old, dir := sh.files.Dir, sh.dirs[0]
		if status := sh.chdir("pushd", dir); status != 0 {
			return status
		}
		sh.dirs[0] = old
		return builtinDirs(sh, []string{"dirs"})
	}
	if n, ok := rotation(args[0], len(sh.dirs)+1); ok && !literal {
		all := append([]string{sh.files.Dir}, sh.dirs...)
		if n < 0 || n >= len(all) {
			sh.errorf("pushd: %s: directory stack index out of range", args[0])
			return 1
		}
		all = slices.Concat(all[n:], all[:n])
		if status := sh.chdir("pushd", all[0]); status != 0 {
			return status
		}
		sh.dirs = all[1:]
		return builtinDirs(sh, []string{"dirs"})
	}
	if len(args[0]) > 1 && args[0][0] == '-' && !literal {
		return sh.badNumber("pushd", args[0])
	}
	old := sh.files.Dir
	if status := sh.chdir("pushd", args[0]); status != 0 {
		return status
	}
	sh.dirs = append([]string{old}, sh.dirs...)
	return builtinDirs(sh, []string{"dirs"})
}

// rotation reads "+2" and "-1".
func rotation(s string, count int) (int, bool) {
	if len(s) < 2 || s[0] != '+' && s[0] != '-' {
		return 0, false
	}
	n, err := strconv.Atoi(s[1:])
	if err != nil {
		return 0, false
	}
	if s[0] == '-' {
		n = count - 1 - n
	}
	return n, true
}

func builtinPopd(sh *Shell, args []string) int {
	if len(args) > 1 && args[1] == "--" {
		args = args[1:]
	}
	if len(args) > 1 {
		if _, ok := rotation(args[1], 0); !ok && args[1] != "" && args[1][0] == '-' {
			return sh.badNumber("popd", args[1])
		} else if !ok {
			return sh.usage("popd", args[1]+": invalid argument", stackUsage["popd"])
		}
	}
	if len(sh.dirs) == 0 {
		sh.errorf("popd: directory stack empty")
		return 1
	}
	if len(args) > 1 {
		n, _ := rotation(args[1], len(sh.dirs)+1)
		if n < 0 || n > len(sh.dirs) {
			sh.errorf("popd: %s: directory stack index out of range", args[1])
			return 1
		}
		if n > 0 {
			sh.dirs = slices.Delete(sh.dirs, n-1, n)
			return builtinDirs(sh, []string{"dirs"})
		}
	}
	dir := sh.dirs[0]
	if status := sh.chdir("popd", dir); status != 0 {
		return status
	}
	sh.dirs = sh.dirs[1:]
	return builtinDirs(sh, []string{"dirs"})
}

func builtinDirs(sh *Shell, args []string) int {
	all := append([]string{sh.files.Dir}, sh.dirs...)
	separator, number := " ", false
	for _, arg := range args[1:] {
		switch arg {
		case "-c":
			sh.dirs = nil
			return 0
		case "-p":
			separator = "\n"
		case "-v":
			separator, number = "\n", true
		}
		n, ok := rotation(arg, len(all))
		switch {
		case ok && n >= 0 && n < len(all):
			return sh.out("dirs", all[n]+"\n")
		case !ok && !strings.HasPrefix(arg, "-"):
			return sh.usage("dirs", arg+": invalid option", stackUsage["dirs"])
		}
	}
	if home := sh.value("HOME"); home != "/" && home != "" && !slices.Contains(args, "-l") {
		for i, dir := range all {
			if rest, ok := strings.CutPrefix(dir, home); ok && (rest == "" || rest[0] == '/') {
				all[i] = "~" + rest
			}
		}
	}
	if number {
		for i := range all {
			all[i] = fmt.Sprintf("%2d  %s", i, all[i])
		}
	}
	return sh.out("dirs", strings.Join(all, separator)+"\n")
}

// tooMany reports more than one argument, after which bash gives up the script.
func (sh *Shell) tooMany(args []string) bool {
	if len(args) < 3 {
		return false
	}
	sh.errorf("%s: too many arguments", args[0])
	sh.exiting = true
	return true
}

func builtinShift(sh *Shell, args []string) int {
	n := 1
	if len(args) > 1 {
		var err error
		if n, err = strconv.Atoi(args[1]); err != nil {
			sh.errorf("shift: %s: numeric argument required", args[1])
			return 1
		}
		if sh.tooMany(args) {
			return 1
		}
		if n < 0 {
			sh.errorf("shift: %s: shift count out of range", args[1])
			return 1
		}
	}
	if n > len(sh.params) {
		return 1
	}
	sh.params = sh.params[n:]
	return 0
}

func builtinUnset(sh *Shell, args []string) int {
	variables, functions, reference := true, true, false
	options, args, ok := sh.getopt(args, "vfn", "unset [-f] [-v] [-n] [name ...]")
	if !ok {
		return 2
	}
	for _, o := range options {
		switch o.letter {
		case 'v':
			functions = false
		case 'f':
			variables = false
		default:
			reference = true
		}
	}
	status := 0
	for _, name := range args {
		base, _, _ := cutSubscript(name)
		if !validName(base) && variables && !functions {
			sh.errorf("unset: `%s': not a valid identifier", name)
			status = 1
			continue
		}
		if reference {
			delete(sh.vars, name)
			continue
		}
		if variables && (sh.vars[base] != nil || !functions || sh.functions[name] == nil) {
			if !sh.unset(name) {
				status = 1
			}
			continue
		}
		if functions {
			sh.unshare()
			delete(sh.functions, name)
		}
	}
	return status
}

func builtinExit(sh *Shell, args []string) int {
	status := sh.status
	if len(args) > 1 {
		n, err := strconv.ParseInt(strings.TrimSpace(args[1]), 10, 64)
		switch {
		case err != nil:
			sh.errorf("%s: %s: numeric argument required", args[0], args[1])
			status = 2
		case sh.tooMany(args):
			return 1
		default:
			status = int(n & 0xff)
		}
	}
	sh.exiting = true
	return status
}

func builtinReturn(sh *Shell, args []string) int {
	status := sh.status
	if len(args) > 1 {
		n, err := strconv.ParseInt(strings.TrimSpace(args[1]), 10, 64)
		if err != nil {
			sh.errorf("return: %s: numeric argument required", args[1])
			n = 2
		}
		status = int(n & 0xff)
	}
	if sh.inFunction() < 0 && sh.sourced == 0 {
		sh.errorf("return: can only `return' from a function or sourced script")
		return 2
	}
	sh.returning = true
	return status
}

func builtinBreak(sh *Shell, args []string) int {
	if sh.loops == 0 {
		sh.errorf("%s: only meaningful in a `for', `while', or `until' loop", args[0])
		return 0
	}
	n := 1
	if len(args) > 1 {
		var err error
		if n, err = strconv.Atoi(args[1]); err != nil {
			sh.errorf("%s: %s: numeric argument required", args[0], args[1])
			sh.exiting = true
			return 128
		}
		if sh.tooMany(args) {
			return 1
		}
		if n < 1 {
			sh.errorf("%s: %s: loop count out of range", args[0], args[1])
			sh.breaking = sh.loops
			return 1
		}
	}
	n = min(n, sh.loops)
	if args[0] == "break" {
		sh.breaking = n
	} else {
		sh.skipping = n
	}
	return 0
}

func builtinEval(sh *Shell, args []string) int {
	_, args, ok := sh.getopt(args, "", "eval [arg ...]")
	if !ok {
		return 2
	}
	sh.status = 0
	line := sh.line
	sh.source(strings.Join(args, " "), nil)
	sh.line = line
	return sh.status
}

func builtinSource(sh *Shell, args []string) int {
	if len(args) < 2 {
		return sh.usage(args[0], "filename argument required", args[0]+" filename [arguments]")
	}
	if args[1] == "--" && len(args) > 2 {
		args = args[1:]
	}
	name := args[1]
	file := name
	if !strings.Contains(name, "/") {
		if found := sh.inPath(name, sh.value("PATH")); found != "" {
			file = found
		}
	}
	data, err := sh.files.ReadFile(file)
	if err != nil {
		sh.errorf("%s: %s", name, command.Text(err))
		return 1
	}
	params := sh.params
	if len(args) > 2 {
		sh.params = args[2:]
	}
	line := sh.line
	sh.status = 0
	sh.sourced++
	sh.frames = append(sh.frames, frame{name: "source", line: line, file: name, sourced: true})
	frames := len(sh.frames) - 1
	sh.source(string(data), &name)
	sh.frames = sh.frames[:frames]
	sh.sourced--
	sh.returning = false
	sh.trap("RETURN")
	sh.line = line
	if len(args) > 2 {
		sh.params = params
	}
	return sh.status
}

func builtinExec(sh *Shell, args []string) int {
	_, args, ok := sh.getopt(args, "cla:", "exec [-cl] [-a name] [command [argument ...]] [redirection ...]")
	switch {
	case !ok:
		return 2
	case len(args) == 0:
		sh.kept = true
		return 0
	}
	status := sh.external(args, nil)
	if status == 127 && sh.shopt["execfail"] {
		return status
	}
	sh.exiting = true
	return status
}

func builtinCommand(sh *Shell, args []string) int {
	describe, standard := byte(0), false
	options, args, ok := sh.getopt(args, "pvV", "command [-pVv] command [arg ...]")
	for _, o := range options {
		if o.letter == 'p' {
			standard = true
		} else {
			describe = o.letter
		}
	}
	switch {
	case !ok:
		return 2
	case len(args) == 0:
		return 0
	}
	if describe != 0 {
		status := 1
		for _, name := range args {
			kind, text := sh.describe(name)
			switch {
			case kind == "":
				if describe == 'V' {
					sh.errorf("command: %s: not found", name)
				}
				continue
			case describe == 'V':
				_ = sh.print(1, name+" is "+text+"\n")
			case kind == "file":
				_ = sh.print(1, text+"\n")
			case kind == "alias":
				_ = sh.print(1, "alias "+name+"="+quote(sh.aliases[name])+"\n")
			default:
				_ = sh.print(1, name+"\n")
			}
			status = 0
		}
		return status
	}
	if b, ok := builtins[args[0]]; ok {
		return b(sh, args)
	}
	if standard {
		return sh.external(args, []string{"PATH=" + searchPath})
	}
	return sh.external(args, nil)
}

// describe says what a command is: alias, keyword, function, builtin or file; nothing if there is none.
func (sh *Shell) describe(name string) (kind, text string) {
	switch {
	case sh.aliases[name] != "" && sh.shopt["expand_aliases"]:
		return "alias", "aliased to `" + sh.aliases[name] + "'"
	case syntax.IsKeyword(name) && name != "select" || slices.Contains([]string{"[[", "]]", "{", "}", "!", "time",
		"coproc", "select"}, name):
		return "keyword", "a shell keyword"
	case sh.functions[name] != nil:
		return "function", "a function\n" + functionText(name, sh.functions[name])
	case builtins[name] != nil:
		return "builtin", "a shell builtin"
	}
	if file := sh.location(name); file != "" {
		return "file", file
	}
	return "", ""
}

// location returns where a command would be on a system, or where a script is.
func (sh *Shell) location(name string) string {
	if strings.Contains(name, "/") {
		if info, err := sh.files.Stat(name); err == nil && info.Mode().IsRegular() {
			return name
		}
		base := path.Base(name)
		if strings.Contains(":"+searchPath+":", ":"+path.Dir(name)+":") && sh.find(base) != nil {
			return name
		}
		return ""
	}
	if file := sh.inPath(name, sh.value("PATH")); file != "" {
		return file
	}
	if sh.find(name) != nil {
		return "/usr/bin/" + name
	}
	return ""
}

// builtinHash tells which commands there are. It remembers none.
func builtinHash(sh *Shell, args []string) int {
	options, args, ok := sh.getopt(args, "lrp:dt", "hash [-lr] [-p pathname] [-dt] [name ...]")
	if !ok {
		return 2
	}
	if len(options)+len(args) == 0 {
		return sh.out("hash", "hash: hash table empty\n")
	}
	status := 0
	for _, name := range args {
		if kind, _ := sh.describe(name); kind == "" {
			sh.errorf("hash: %s: not found", name)
			status = 1
		}
	}
	return status
}

func builtinBuiltin(sh *Shell, args []string) int {
	if len(args) > 1 && args[1] == "--" {
		args = args[1:]
	}
	if len(args) == 1 {
		return 0
	}
	b, ok := builtins[args[1]]
	if !ok {
		sh.errorf("builtin: %s: not a shell builtin", args[1])
		return 1
	}
	return b(sh, args[1:])
}

func builtinType(sh *Shell, args []string) int {
	var short, file, path, all, noFunctions bool
	options, args, ok := sh.getopt(args, "afptP", "type [-afptP] name [name ...]")
	if !ok {
		return 2
	}
	for _, o := range options {
		switch o.letter {
		case 't':
			short = true
		case 'p':
			file = true
		case 'P':
			file, path = true, true
		case 'a':
			all = true
		case 'f':
			noFunctions = true
		}
	}
	status := 0
	for _, name := range args {
		kind, text := sh.describe(name)
		if location := sh.location(name); path || noFunctions && kind == "function" && location != "" {
			kind, text = "file", location
			if location == "" {
				kind = ""
			}
		}
		switch {
		case kind == "":
			if !short && !file {
				sh.errorf("type: %s: not found", name)
			}
			status = 1
		case short:
			_ = sh.print(1, kind+"\n")
		case file:
			if kind == "file" {
				_ = sh.print(1, text+"\n")
			}
		default:
			_ = sh.print(1, name+" is "+text+"\n")
			if location := sh.location(name); all && kind != "file" && location != "" {
				_ = sh.print(1, name+" is "+location+"\n")
			}
		}
	}
	return status
}

func builtinAlias(sh *Shell, args []string) int {
	if len(args) == 1 || len(args) == 2 && args[1] == "-p" {
		for _, name := range slices.Sorted(maps.Keys(sh.aliases)) {
			_ = sh.print(1, "alias "+name+"="+quote(sh.aliases[name])+"\n")
		}
		return 0
	}
	status := 0
	if args[1] == "--" {
		args = args[1:]
	}
	for _, arg := range args[1:] {
		if name, value, ok := strings.Cut(arg, "="); ok {
			sh.unshare()
			if sh.aliases == nil {
				sh.aliases = map[string]string{}
			}
			sh.aliases[name] = value
			continue
		}
		if value, ok := sh.aliases[arg]; ok {
			_ = sh.print(1, "alias "+arg+"="+quote(value)+"\n")
			continue
		}
		sh.errorf("alias: %s: not found", arg)
		status = 1
	}
	return status
}

func builtinUnalias(sh *Shell, args []string) int {
	status := 0
	sh.unshare()
	if len(args) == 1 {
		return sh.usage("unalias", "usage", "unalias [-a] name [name ...]")
	}
	if args[1] == "--" {
		args = args[1:]
	}
	for _, arg := range args[1:] {
		if arg == "-a" {
			clear(sh.aliases)
			continue
		}
		if _, ok := sh.aliases[arg]; !ok {
			sh.errorf("unalias: %s: not found", arg)
			status = 1
		}
		delete(sh.aliases, arg)
	}
	return status
}

// alias runs a command whose name is an alias, and returns whether it is.
func (sh *Shell) alias(st *syntax.Stmt, c *syntax.CallExpr) bool {
	lit := c.Args[0].Lit()
	value, ok := sh.aliases[lit]
	if lit == "" || !ok || slices.Contains(sh.more, lit) {
		return false
	}
	rest := *st
	call := *c
	call.Args = append([]*syntax.Word{{Parts: []syntax.WordPart{&syntax.Lit{Value: value}}}}, c.Args[1:]...)
	// After a value that ends with a blank, the next word can be an alias, too.
	for i := 1; i < len(call.Args) && (strings.HasSuffix(value, " ") || strings.HasSuffix(value, "\t")); i++ {
		if value, ok = sh.aliases[call.Args[i].Lit()]; !ok {
			break
		}
		call.Args[i] = &syntax.Word{Parts: []syntax.WordPart{&syntax.Lit{Value: value}}}
	}
	rest.Cmd = &call
	rest.Background, rest.Negated = false, false
	sh.more = append(sh.more, lit)
	defer func() { sh.more = sh.more[:len(sh.more)-1] }()
	sh.source(source(&rest), nil)
	return true
}

func builtinTimes(sh *Shell, _ []string) int {
	return sh.out("times", "0m0.000s 0m0.000s\n0m0.000s 0m0.000s\n")
}

func builtinUlimit(sh *Shell, args []string) int {
	if len(args) < 3 {
		return sh.out("ulimit", "unlimited\n")
	}
	return 0
}

func builtinCaller(sh *Shell, args []string) int {
	n := 0
	if len(args) > 1 {
		n, _ = strconv.Atoi(args[1])
	}
	i := len(sh.frames) - 1 - n
	if i < 0 {
		return 1
	}
	name, file := "main", sh.name
	if i > 0 {
		name, file = sh.frames[i-1].name, sh.frames[i-1].file
	} else if sh.name == "bash" {
		// Nothing is around a script without a file.
		if len(args) > 1 {
			return 1
		}
		file = "NULL"
	}
	if len(args) == 1 {
		return sh.out("caller", fmt.Sprintf("%d %s\n", sh.frames[i].line, file))
	}
	return sh.out("caller", fmt.Sprintf("%d %s %s\n", sh.frames[i].line, name, file))
}

func builtinEnable(sh *Shell, args []string) int {
	disable := false
	for _, arg := range args[1:] {
		if arg == "-n" {
			disable = true
			continue
		}
		if builtins[arg] == nil {
			sh.errorf("enable: %s: not a shell builtin", arg)
			return 1
		}
		sh.options.disabled = maps.Clone(sh.options.disabled)
		if sh.options.disabled == nil {
			sh.options.disabled = map[string]bool{}
		}
		sh.options.disabled[arg] = disable
	}
	if len(args) == 1 {
		for _, name := range slices.Sorted(maps.Keys(builtins)) {
			_ = sh.print(1, "enable "+name+"\n")
		}
	}
	return 0
}

// builtinCompgen lists names: of commands, for example.
func builtinCompgen(sh *Shell, args []string) int {
	var names []string
	args = args[1:]
	prefix := ""
	for i := 0; i < len(args); i++ {
		argument := func() string {
			i++
			if i < len(args) {
				return args[i]
			}
			return ""
		}
		switch arg := args[i]; arg {
		case "-c":
			names = slices.Concat(names, slices.Collect(maps.Keys(builtins)), sh.table.Names(),
				slices.Collect(maps.Keys(sh.functions)))
		case "-b":
			names = slices.AppendSeq(names, maps.Keys(builtins))
		case "-v":
			names = slices.AppendSeq(names, maps.Keys(sh.vars))
		case "-e":
			for name, v := range sh.vars {
				if v.exported {
					names = append(names, name)
				}
			}
		case "-a":
			names = slices.AppendSeq(names, maps.Keys(sh.aliases))
		case "-W":
			names = append(names, strings.Fields(sh.expandText(argument()))...)
		case "-A":
			switch argument() {
			case "function":
				names = slices.AppendSeq(names, maps.Keys(sh.functions))
			case "variable":
				names = slices.AppendSeq(names, maps.Keys(sh.vars))
			}
		case "-f", "-d":
			rest := ""
			if i+1 < len(args) {
				rest = args[i+1]
			}
			for _, name := range sh.glob(patterns.Escape(rest) + "*") {
				if info, err := sh.files.Stat(name); err == nil && (arg == "-f" || info.IsDir()) {
					names = append(names, name)
				}
			}
		case "--":
		default:
			prefix = arg
		}
	}
	slices.Sort(names)
	names = slices.Compact(names)
	status := 1
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			_ = sh.print(1, name+"\n")
			status = 0
		}
	}
	return status
}

func builtinHelp(sh *Shell, args []string) int {
	if len(args) > 1 {
		if cmd := sh.find(args[1]); cmd != nil {
			return sh.runCommand(cmd, []string{args[1], "--help"}, nil)
		}
		if builtins[args[1]] == nil {
			sh.errorf("help: no help topics match `%s'.  Try `help help' or `man -k %s' or `info %s'.", args[1],
				args[1], args[1])
			return 1
		}
		return sh.out("help", args[1]+" is a shell builtin, as in bash\n")
	}
	return sh.out("help", "This is the language of bash. Commands:\n"+strings.Join(sh.table.Names(), " ")+
		"\n\"COMMAND --help\" describes one.\n")
}

func builtinLet(sh *Shell, args []string) int {
	if len(args) == 1 {
		sh.errorf("let: expression expected")
		return 1
	}
	return calculated(func() (value int64) {
		for _, arg := range args[1:] {
			value = sh.evaluate(arg)
		}
		return value
	})
}

// builtinDeclare does declarations whose words the grammar did not see, as after "builtin" or in a variable.
func builtinDeclare(sh *Shell, args []string) int {
	c := &syntax.DeclClause{Variant: &syntax.Lit{Value: args[0]}}
	for _, arg := range args[1:] {
		c.Args = append(c.Args, &syntax.Assign{Naked: true, Value: &syntax.Word{Parts: []syntax.WordPart{
			&syntax.SglQuoted{Value: arg},
		}}})
	}
	sh.declClause(c)
	return sh.status
}
