package shell

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// signals are the signals by their names.
var signals = map[string]int{"HUP": 1, "INT": 2, "QUIT": 3, "ILL": 4, "TRAP": 5, "ABRT": 6, "BUS": 7, "FPE": 8,
	"KILL": 9,
	"USR1": 10, "SEGV": 11, "USR2": 12, "PIPE": 13, "ALRM": 14, "TERM": 15, "STKFLT": 16, "CHLD": 17, "CONT": 18,
	"STOP": 19, "TSTP": 20, "TTIN": 21, "TTOU": 22, "URG": 23, "XCPU": 24, "XFSZ": 25, "VTALRM": 26, "PROF": 27,
	"WINCH": 28, "IO": 29, "PWR": 30, "SYS": 31}

// signalName returns the name of a signal, which can be a number, or of something like one, and "" if there is none.
func signalName(s string) string {
	if n, err := strconv.Atoi(s); err == nil {
		if n == 0 {
			return "EXIT"
		}
		for name, number := range signals {
			if number == n {
				return name
			}
		}
		return ""
	}
	s = strings.TrimPrefix(strings.ToUpper(s), "SIG")
	if _, ok := signals[s]; ok || s == "EXIT" || s == "ERR" || s == "DEBUG" || s == "RETURN" {
		return s
	}
	return ""
}

func trapName(name string) string {
	if _, ok := signals[name]; ok {
		return "SIG" + name
	}
	return name
}

func builtinTrap(sh *Shell, args []string) int {
	args = args[1:]
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) > 0 && args[0] == "-l" {
		return listSignals(sh)
	}
	if len(args) == 0 || args[0] == "-p" {
		traps := sh.traps
		if len(traps) == 0 {
			traps = sh.outerTraps
		}
		names := slices.SortedFunc(maps.Keys(traps), func(a, b string) int { return signals[a] - signals[b] })
		for _, name := range names {
			if len(args) > 1 && !slices.ContainsFunc(args[1:], func(s string) bool { return signalName(s) == name }) {
				continue
			}
			_ = sh.print(1, "trap -- '"+strings.ReplaceAll(traps[name], "'", `'\''`)+"' "+trapName(name)+"\n")
		}
		return 0
	}
	action := args[0]
	names := args[1:]
	remove := action == "-"
	if len(names) == 0 || isNumber(action) {
		names, remove = args, true
	}
	status := 0
	for _, s := range names {
		name := signalName(s)
		if name == "" {
			sh.errorf("trap: %s: invalid signal specification", s)
			status = 1
			continue
		}
		sh.outerTraps = nil
		sh.traps = maps.Clone(sh.traps)
		if sh.traps == nil {
			sh.traps = map[string]string{}
		}
		sh.process.ignored = slices.DeleteFunc(slices.Clone(sh.process.ignored),
			func(n string) bool { return n == name })
		if remove {
			delete(sh.traps, name)
			continue
		}
		sh.traps[name] = action
		if action == "" {
			sh.process.ignored = append(sh.process.ignored, name)
		}
	}
	return status
}

func listSignals(sh *Shell) int {
	names := slices.SortedFunc(maps.Keys(signals), func(a, b string) int { return signals[a] - signals[b] })
	var b strings.Builder
	for i, name := range names {
		fmt.Fprintf(&b, "%2d) SIG%s", signals[name], name)
		if i%5 == 4 || i == len(names)-1 {
			b.WriteByte('\n')
		} else {
			b.WriteByte('\t')
		}
	}
	return sh.out("kill", b.String())
}

// job returns the job that an operand names: a number, or %n, %%, %+, %-, %text.
func (sh *Shell) job(s string) *job {
	spec, ok := strings.CutPrefix(s, "%")
	if !ok {
		id, err := strconv.Atoi(s)
		if err != nil {
			return nil
		}
		for _, j := range sh.jobs {
			if j.id == id {
				return j
			}
		}
		return nil
	}
	if n, err := strconv.Atoi(spec); err == nil {
		for _, j := range sh.jobs {
			if j.number == n {
				return j
			}
		}
		return nil
	}
	switch spec {
	case "", "%", "+":
		if n := len(sh.jobs); n > 0 {
			return sh.jobs[n-1]
		}
	case "-":
		if n := len(sh.jobs); n > 1 {
			return sh.jobs[n-2]
		}
	default:
		for _, j := range sh.jobs {
			if strings.HasPrefix(j.text, spec) || strings.HasPrefix(spec, "?") && strings.Contains(j.text, spec[1:]) {
				return j
			}
		}
	}
	return nil
}

func builtinWait(sh *Shell, args []string) int {
	args = args[1:]
	next, variable := false, ""
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		switch option := args[0]; {
		case option == "-n":
			next = true
		case option == "-p" && len(args) > 1:
			args = args[1:]
			variable = args[0]
		case option == "-f" || option == "--":
		default:
			return sh.usage("wait", option+": invalid option", "wait [-fn] [-p var] [id ...]")
		}
		args = args[1:]
	}
	if next {
		jobs := sh.jobs
		if len(args) > 0 {
			jobs = nil
			for _, arg := range args {
				if j := sh.job(arg); j != nil {
					jobs = append(jobs, j)
				}
			}
		}
		if len(jobs) == 0 {
			return 127
		}
		first := make(chan *job, len(jobs))
		for _, j := range jobs {
			go func() {
				<-j.done
				first <- j
			}()
		}
		select {
		case j := <-first:
			sh.forget(j)
			if variable != "" {
				sh.assign(variable, strconv.Itoa(j.id))
			}
			return j.status
		case <-sh.process.Done():
			sh.process.check()
		}
		return 127
	}
	if len(args) == 0 {
		for _, j := range sh.jobs {
			sh.wait(j)
		}
		sh.jobs = nil
		return 0
	}
	status := 0
	for _, arg := range args {
		j := sh.job(arg)
		if j == nil {
			if strings.HasPrefix(arg, "%") {
				sh.errorf("wait: %s: no such job", arg)
			} else if _, err := strconv.Atoi(arg); err != nil {
				sh.errorf("wait: `%s': not a pid or valid job spec", arg)
				status = 1
				continue
			} else {
				sh.errorf("wait: pid %s is not a child of this shell", arg)
			}
			status = 127
			continue
		}
		status = sh.wait(j)
	}
	return status
}

func (sh *Shell) forget(j *job) {
	sh.jobs = slices.DeleteFunc(slices.Clone(sh.jobs), func(other *job) bool { return other == j })
}

func builtinJobs(sh *Shell, args []string) int {
	ids := slices.Contains(args, "-p")
	for i, j := range sh.jobs {
		if ids {
			_ = sh.print(1, strconv.Itoa(j.id)+"\n")
			continue
		}
		mark := " "
		if i == len(sh.jobs)-1 {
			mark = "+"
		} else if i == len(sh.jobs)-2 {
			mark = "-"
		}
		state, end := "Running", " &"
		if j.ended() {
			state, end = "Done", ""
			if j.status != 0 {
				state = "Exit " + strconv.Itoa(j.status)
			}
		}
		_ = sh.print(1, fmt.Sprintf("[%d]%s  %-24s%s%s\n", j.number, mark, state, j.text, end))
	}
	sh.jobs = slices.DeleteFunc(slices.Clone(sh.jobs), (*job).ended)
	return 0
}

func builtinBg(sh *Shell, _ []string) int {
	sh.errorf("bg: no job control")
	return 1
}

func builtinFg(sh *Shell, args []string) int {
	spec := "%%"
	if len(args) > 1 {
		spec = args[1]
	}
	j := sh.job(spec)
	if j == nil {
		sh.errorf("fg: %s: no such job", spec)
		return 1
	}
	_ = sh.print(1, j.text+"\n")
	sh.forget(j)
	return sh.wait(j)
}

func builtinKill(sh *Shell, args []string) int {
	args = args[1:]
	signal := "TERM"
	if len(args) > 0 && len(args[0]) > 1 && args[0][0] == '-' && args[0] != "--" {
		option := args[0][1:]
		args = args[1:]
		switch option {
		case "l", "L":
			if len(args) == 0 {
				return listSignals(sh)
			}
			for _, arg := range args {
				if n, err := strconv.Atoi(arg); err == nil {
					_ = sh.print(1, signalName(strconv.Itoa(n&0x7f))+"\n")
				} else if name := signalName(arg); name != "" {
					_ = sh.print(1, strconv.Itoa(signals[name])+"\n")
				} else {
					sh.errorf("kill: %s: invalid signal specification", arg)
					return 1
				}
			}
			return 0
		case "s", "n":
			if len(args) == 0 {
				sh.errorf("kill: -%s: option requires an argument", option)
				return 2
			}
			option, args = args[0], args[1:]
		}
		if signal = signalName(option); signal == "" {
			sh.errorf("kill: %s: invalid signal specification", option)
			return 1
		}
	}
	if len(args) > 0 && args[0] == "--" {
		args = args[1:]
	}
	if len(args) == 0 {
		return sh.usage("kill", "usage",
			"kill [-s sigspec | -n signum | -sigspec] pid | jobspec ... or kill -l [sigspec]")
	}
	status := 0
	for _, arg := range args {
		if !sh.send(arg, signal) {
			status = 1
		}
	}
	return status
}

// send sends a signal to what an operand names.
func (sh *Shell) send(to, signal string) bool {
	j := sh.job(to)
	id, err := strconv.Atoi(to)
	if j == nil && err == nil {
		if id == sh.process.id+firstID || id == sh.pid && sh.subshells == 0 || id == 0 {
			return sh.signalled(signal)
		}
		sh.mu.Lock()
		j = sh.all[id]
		other := sh.shells[id]
		sh.mu.Unlock()
		if other != nil {
			return other.receive(signal)
		}
	}
	switch {
	case j == nil && strings.HasPrefix(to, "%"):
		sh.errorf("kill: %s: no such job", to)
		return false
	case j == nil && err != nil:
		sh.errorf("kill: %s: arguments must be process or job IDs", to)
		return false
	case j == nil || j.ended():
		sh.errorf("kill: (%s) - No such process", to)
		return false
	}
	if signal == "EXIT" || j.process.ignores(signal) && signal != "KILL" || harmless(signal) {
		return true
	}
	j.process.kill(syscall.Signal(signals[signal]))
	return true
}

// harmless says whether a signal does not end a process.
func harmless(signal string) bool {
	switch signal {
	case "CHLD", "CONT", "STOP", "TSTP", "TTIN", "TTOU", "URG", "WINCH":
		return true
	}
	return false
}

// receive is what a signal of another shell does to this one: its trap, between two commands, or its end.
func (sh *Shell) receive(signal string) bool {
	if signal == "EXIT" || sh.process.ignores(signal) || harmless(signal) {
		return true
	}
	if sh.traps[signal] == "" || signal == "KILL" {
		sh.process.kill(syscall.Signal(signals[signal]))
		return true
	}
	list := []string{signal}
	if old := sh.pending.Load(); old != nil {
		list = append(slices.Clone(*old), signal)
	}
	sh.pending.Store(&list)
	return true
}

// signalled does what a signal to this shell does.
func (sh *Shell) signalled(signal string) bool {
	if signal == "EXIT" {
		return true
	}
	if _, ok := sh.traps[signal]; ok && signal != "KILL" && signal != "STOP" {
		return sh.trap(signal)
	}
	if !harmless(signal) {
		sh.status = 128 + signals[signal]
		panic(exit{sh.status})
	}
	return true
}
