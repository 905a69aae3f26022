package shell

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// options are those of "set", by their letters. pipefail and the like, which have none, have other bytes.
type options struct {
	on       [128]bool
	disabled map[string]bool // builtins, by "enable -n"
}

const (
	pipefail            = 1
	interactiveComments = 5
)

// optionNames are the names of options, and their letters.
var optionNames = map[string]byte{
	"allexport": 'a', "braceexpand": 'B', "emacs": 2, "errexit": 'e', "errtrace": 'E', "functrace": 'T', "hashall": 'h',
	"histexpand": 'H', "history": 3, "ignoreeof": 4, "interactive-comments": interactiveComments, "keyword": 'k',
	"monitor":   'm',
	"noclobber": 'C', "noexec": 'n', "noglob": 'f', "nolog": 6, "notify": 'b', "nounset": 'u', "onecmd": 't',
	"physical": 'P', "pipefail": pipefail, "posix": 7, "privileged": 'p', "verbose": 'v', "vi": 8, "xtrace": 'x',
}

// letters returns the letters of the options that are on, for "$-".
func (o *options) letters() string {
	var b strings.Builder
	for _, letter := range "abefhkmnptuvxBCEHPTc" {
		if o.on[letter] {
			b.WriteRune(letter)
		}
	}
	return b.String()
}

// set sets an option by its letter, and returns whether there is one.
func (o *options) set(letter byte, on bool) bool {
	if letter >= 128 || !strings.ContainsRune("abefhkmnptuvxBCEHPT", rune(letter)) {
		return false
	}
	o.on[letter] = on
	return true
}

// shoptNames are the options of shopt, and whether they are on at first.
var shoptNames = map[string]bool{
	"assoc_expand_once": false, "autocd": false, "cdable_vars": false, "cdspell": false, "checkhash": false,
	"checkjobs": false, "checkwinsize": true, "cmdhist": true, "compat31": false, "complete_fullquote": true,
	"direxpand": false, "dirspell": false, "dotglob": false, "execfail": false, "expand_aliases": false,
	"extdebug": false, "extglob": false, "extquote": true, "failglob": false, "force_fignore": true,
	"globasciiranges": true, "globskipdots": true, "globstar": false, "gnu_errfmt": false, "histappend": false,
	"histreedit": false, "histverify": false, "hostcomplete": true, "huponexit": false, "inherit_errexit": false,
	"interactive_comments": true, "lastpipe": false, "lithist": false, "localvar_inherit": false,
	"localvar_unset": false, "login_shell": false, "mailwarn": false, "no_empty_cmd_completion": false,
	"nocaseglob": false, "nocasematch": false, "noexpand_translation": false, "nullglob": false,
	"patsub_replacement": true, "progcomp": true, "progcomp_alias": false, "promptvars": true,
	"restricted_shell": false, "shift_verbose": false, "sourcepath": true, "varredir_close": false,
	"xpg_echo": false,
}

func (sh *Shell) shoptOn(name string) bool {
	if on, ok := sh.shopt[name]; ok {
		return on
	}
	return shoptNames[name]
}

// names returns the names of options that are on, as SHELLOPTS has them.
func (o *options) names() string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(optionNames)) {
		if o.on[optionNames[name]] {
			names = append(names, name)
		}
	}
	return strings.Join(names, ":")
}

// shoptOnNames returns the names of options of shopt that are on, as BASHOPTS has them.
func (sh *Shell) shoptOnNames() string {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(shoptNames)) {
		if sh.shoptOn(name) {
			names = append(names, name)
		}
	}
	return strings.Join(names, ":")
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

// builtinSet does "set".
func builtinSet(sh *Shell, args []string) int {
	args = args[1:]
	if len(args) == 0 {
		for _, name := range slices.Sorted(maps.Keys(sh.vars)) {
			if v := sh.vars[name]; v.set {
				_ = sh.print(1, name+"="+v.declaration()+"\n")
			}
		}
		return 0
	}
	for len(args) > 0 {
		arg := args[0]
		switch {
		case arg == "--":
			sh.params = slices.Clone(args[1:])
			return 0
		case arg == "-":
			sh.options.on['x'], sh.options.on['v'] = false, false
			if len(args) > 1 {
				sh.params = slices.Clone(args[1:])
			}
			return 0
		case arg == "-o" || arg == "+o":
			if len(args) == 1 {
				for _, name := range slices.Sorted(maps.Keys(optionNames)) {
					on := sh.options.on[optionNames[name]]
					if arg == "-o" {
						_ = sh.print(1, fmt.Sprintf("%-15s\t%s\n", name, onOff(on)))
					} else {
						_ = sh.print(1, fmt.Sprintf("set %co %s\n", map[bool]rune{true: '-', false: '+'}[on], name))
					}
				}
				return 0
			}
			if !sh.setNamed(args[1], arg == "-o") {
				sh.errorf("set: %s: invalid option name", args[1])
				return 2
			}
			args = args[2:]
			continue
		case len(arg) > 1 && (arg[0] == '-' || arg[0] == '+'):
			for i := 1; i < len(arg); i++ {
				if arg[i] == 'o' && len(args) > 1 {
					if !sh.setNamed(args[1], arg[0] == '-') {
						sh.errorf("set: %s: invalid option name", args[1])
						return 2
					}
					args = slices.Delete(slices.Clone(args), 1, 2)
					continue
				}
				if !sh.options.set(arg[i], arg[0] == '-') {
					sh.errorf("set: %c%c: invalid option", arg[0], arg[i])
					_ = sh.print(2, "set: usage: set [-abefhkmnptuvxBCEHPT] [-o option-name] [--] [-] [arg ...]\n")
					return 2
				}
			}
		default:
			sh.params = slices.Clone(args)
			return 0
		}
		args = args[1:]
	}
	return 0
}

func (sh *Shell) setNamed(name string, on bool) bool {
	letter, ok := optionNames[name]
	if ok {
		sh.options.on[letter] = on
	}
	return ok
}

// builtinShopt does "shopt".
func builtinShopt(sh *Shell, args []string) int {
	options, args, ok := sh.getopt(args, "suqpo", "shopt [-pqsu] [-o] [optname ...]")
	if !ok {
		return 2
	}
	given := map[byte]bool{}
	for _, o := range options {
		given[o.letter] = true
	}
	set, unset, quiet, print, named := given['s'], given['u'], given['q'], given['p'], given['o']
	lookup := func(name string) (bool, bool) {
		if named {
			letter, ok := optionNames[name]
			return ok && sh.options.on[letter], ok
		}
		_, ok := shoptNames[name]
		return sh.shoptOn(name), ok
	}
	show := func(name string, on bool) {
		switch {
		case quiet:
		case print && named:
			_ = sh.print(1, fmt.Sprintf("set %co %s\n", map[bool]rune{true: '-', false: '+'}[on], name))
		case print:
			_ = sh.print(1, fmt.Sprintf("shopt -%c %s\n", map[bool]rune{true: 's', false: 'u'}[on], name))
		default:
			_ = sh.print(1, fmt.Sprintf("%-15s\t%s\n", name, onOff(on)))
		}
	}
	if len(args) == 0 {
		names := slices.Sorted(maps.Keys(shoptNames))
		if named {
			names = slices.Sorted(maps.Keys(optionNames))
		}
		for _, name := range names {
			if on, _ := lookup(name); on == set || on != unset && !set {
				show(name, on)
			}
		}
		return 0
	}
	status := 0
	for _, name := range args {
		on, ok := lookup(name)
		switch {
		case !ok:
			sh.errorf("shopt: %s: invalid shell option name", name)
			status = 1
		case (set || unset) && named:
			sh.setNamed(name, set)
		case set || unset:
			if sh.shopt == nil {
				sh.shopt = map[string]bool{}
			}
			sh.shopt[name] = set
		default:
			show(name, on)
			if !on {
				status = 1
			}
		}
	}
	return status
}
