package shell

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// kind is what a variable's value is.
type kind uint8

const (
	scalar kind = iota
	indexed
	associative
)

// A variable is one variable of a shell. One that another shell may see is copied before it is changed: see own.
type variable struct {
	owner *owner
	kind  kind
	set   bool // it has a value; an array has one if it was assigned

	exported, readonly, integer, lower, upper, nameref bool

	str   string
	list  []element // sorted
	assoc map[string]string
	order map[string]int // when each key was added
	next  int
}

// An element is one of an indexed array.
type element struct {
	index int
	value string
}

// owner is who may change variables in place. It is not empty, so that each has an address of its own.
type owner struct{ _ byte }

// frame is what a function call has made local: the variables as they are outside.
type frame struct {
	saved map[string]*variable
	// name, file and line are for FUNCNAME, BASH_SOURCE and BASH_LINENO: of a function, and where it is from and was
	// called.
	name, file string
	line       int
	sourced    bool // it is that of a script that is sourced, where nothing is local
}

// dice are the random numbers of the shell. They are made when they are needed, since what is there before a run is the
// same in each one.
func (sh *Shell) dice() *rand.Rand {
	if sh.random == nil {
		sh.random = command.NewRand()
	}
	return sh.random
}

// inFunction returns the frame of the function that runs, or -1.
func (sh *Shell) inFunction() int {
	i := len(sh.frames) - 1
	for i >= 0 && sh.frames[i].sourced {
		i--
	}
	return i
}

// lookup returns a variable, or nil. Namerefs are followed.
func (sh *Shell) lookup(name string) *variable {
	v := sh.vars[name]
	for depth := 0; v != nil && v.nameref && v.str != ""; depth++ {
		if depth > 10 {
			return nil
		}
		target, _, subscript := cutSubscript(v.str)
		if subscript {
			return v
		}
		v = sh.vars[target]
	}
	return v
}

// resolve returns the name of the variable that a name leads to.
func (sh *Shell) resolve(name string) string {
	for range 10 {
		v := sh.vars[name]
		if v == nil || !v.nameref || v.str == "" {
			return name
		}
		name = v.str
	}
	return name
}

// own returns a variable for changing, and makes one if there is none.
func (sh *Shell) own(name string) *variable {
	v := sh.vars[name]
	switch {
	case v == nil:
		v = &variable{owner: sh.owner}
	case v.owner == sh.owner:
		return v
	default:
		c := *v
		v = &c
		v.owner = sh.owner
		v.list = slices.Clone(v.list)
		v.assoc = maps.Clone(v.assoc)
		v.order = maps.Clone(v.order)
	}
	sh.vars[name] = v
	return v
}

// cutSubscript cuts "name[subscript]".
func cutSubscript(s string) (name, subscript string, ok bool) {
	i := strings.IndexByte(s, '[')
	if i <= 0 || !strings.HasSuffix(s, "]") || !validName(s[:i]) {
		return s, "", false
	}
	return s[:i], s[i+1 : len(s)-1], true
}

func validName(s string) bool {
	for i := range len(s) {
		c := s[i]
		if c != '_' && (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

// get returns the value of a variable as ${name} has it, and whether it is set.
func (sh *Shell) get(name string) (string, bool) {
	if value, ok := sh.special(name); ok {
		return value, true
	}
	if v := sh.vars[name]; v != nil && v.nameref && v.str != "" {
		if target, subscript, ok := cutSubscript(v.str); ok {
			return sh.element(target, subscript)
		}
	}
	v := sh.lookup(name)
	if v == nil {
		return "", false
	}
	switch v.kind {
	case indexed:
		return v.at(0)
	case associative:
		value, ok := v.assoc["0"]
		return value, ok
	}
	return v.str, v.set
}

// value returns the value of a variable, or "".
func (sh *Shell) value(name string) string {
	value, _ := sh.get(name)
	return value
}

// special returns variables that are computed.
func (sh *Shell) special(name string) (string, bool) {
	if name == "" {
		return "", false
	}
	if c := name[0]; c >= '0' && c <= '9' {
		n, err := strconv.Atoi(name)
		switch {
		case err != nil:
			return "", false
		case n == 0:
			return sh.name, true
		case n <= len(sh.params):
			return sh.params[n-1], true
		}
		return "", false
	}
	switch name {
	case "#":
		return strconv.Itoa(len(sh.params)), true
	case "?":
		return strconv.Itoa(sh.status), true
	case "$":
		return strconv.Itoa(sh.pid), true
	case "-":
		return sh.options.letters(), true
	case "!":
		if sh.lastJob == 0 {
			return "", false
		}
		return strconv.Itoa(sh.lastJob), true
	case "_":
		if sh.lastArg == "" {
			return "/bin/bash", true
		}
		return sh.lastArg, true
	case "@", "*":
		return strings.Join(sh.params, " "), len(sh.params) > 0
	case "LINENO":
		return strconv.Itoa(sh.line), true
	case "SHELLOPTS":
		return sh.options.names(), true
	case "BASHOPTS":
		return sh.shoptOnNames(), true
	case "BASHPID":
		return strconv.Itoa(sh.process.id + firstID), true
	case "BASH_SOURCE", "BASH_LINENO", "PIPESTATUS", "DIRSTACK", "GROUPS":
	case "RANDOM", "SECONDS", "EPOCHSECONDS", "EPOCHREALTIME", "SRANDOM", "FUNCNAME", "BASH_SUBSHELL":
		if sh.unspecial[name] {
			return "", false
		}
	default:
		return "", false
	}
	switch name {
	case "RANDOM":
		return strconv.Itoa(sh.dice().IntN(1 << 15)), true
	case "SRANDOM":
		return strconv.FormatUint(uint64(command.NewRand().Uint32()), 10), true
	case "SECONDS":
		return strconv.Itoa(int(time.Since(sh.start)/time.Second) + sh.seconds), true
	case "EPOCHSECONDS":
		return strconv.FormatInt(time.Now().Unix(), 10), true
	case "EPOCHREALTIME":
		now := time.Now().UnixMicro()
		return strconv.FormatInt(now/1e6, 10) + "." + strconv.FormatInt(1e6+now%1e6, 10)[1:], true
	case "BASH_SUBSHELL":
		return strconv.Itoa(sh.subshells), true
	case "FUNCNAME", "BASH_SOURCE", "BASH_LINENO", "PIPESTATUS", "DIRSTACK", "GROUPS":
		if list := sh.computed(name); len(list) > 0 {
			return list[0], true
		}
	}
	return "", false
}

// at returns an element of an indexed array. Negative ones count from the end.
func (v *variable) at(index int) (string, bool) {
	if v.kind == scalar {
		return v.str, v.set && index == 0
	}
	if index < 0 {
		index += v.end()
	}
	if i, ok := v.find(index); ok {
		return v.list[i].value, true
	}
	return "", false
}

// end is one more than the last index.
func (v *variable) end() int {
	if v.kind == scalar {
		if v.set {
			return 1
		}
		return 0
	}
	if len(v.list) == 0 {
		return 0
	}
	return v.list[len(v.list)-1].index + 1
}

func (v *variable) find(index int) (int, bool) {
	if index >= 0 && index < len(v.list) && v.list[index].index == index {
		return index, true
	}
	return slices.BinarySearchFunc(v.list, index, func(e element, i int) int { return cmp.Compare(e.index, i) })
}

// keys returns the keys of an associative array in the order in which bash has them: that of its table of hashes.
func (v *variable) keys() []string {
	keys := slices.Collect(maps.Keys(v.assoc))
	buckets := uint32(1024)
	for uint32(len(keys)) >= buckets*2 {
		buckets *= 4
	}
	slices.SortFunc(keys, func(a, b string) int {
		return cmp.Or(cmp.Compare(hash(a)%buckets, hash(b)%buckets), cmp.Compare(v.order[b], v.order[a]))
	})
	return keys
}

func hash(s string) uint32 {
	h := uint32(2166136261)
	for i := range len(s) {
		h *= 16777619
		h ^= uint32(s[i])
	}
	return h
}

// values returns the values of all elements.
func (v *variable) values() []string {
	switch v.kind {
	case indexed:
		values := make([]string, len(v.list))
		for i, e := range v.list {
			values[i] = e.value
		}
		return values
	case associative:
		keys := v.keys()
		for i, key := range keys {
			keys[i] = v.assoc[key]
		}
		return keys
	}
	if !v.set {
		return nil
	}
	return []string{v.str}
}

// indices returns the keys of all elements.
func (v *variable) indices() []string {
	switch v.kind {
	case indexed:
		keys := make([]string, len(v.list))
		for i, e := range v.list {
			keys[i] = strconv.Itoa(e.index)
		}
		return keys
	case associative:
		return v.keys()
	}
	if !v.set {
		return nil
	}
	return []string{"0"}
}

// array makes a variable an array, whose first element is what it was.
func (v *variable) array(k kind) {
	if v.kind == k {
		return
	}
	switch k {
	case indexed:
		v.list = nil
		if v.set {
			v.list = []element{{0, v.str}}
		}
	case associative:
		v.assoc, v.order = map[string]string{}, map[string]int{}
		if v.kind == scalar && v.set {
			v.put("0", v.str)
		}
	}
	v.kind, v.str = k, ""
}

// put sets an element of an associative array.
func (v *variable) put(key, value string) {
	if v.assoc == nil {
		v.assoc, v.order = map[string]string{}, map[string]int{}
	}
	if _, ok := v.assoc[key]; !ok {
		v.next++
		v.order[key] = v.next
	}
	v.assoc[key] = value
	v.set = true
}

// putAt sets an element of an indexed array.
func (v *variable) putAt(index int, value string) {
	i, ok := v.find(index)
	if ok {
		v.list[i].value = value
	} else {
		v.list = slices.Insert(v.list, i, element{index, value})
	}
	v.set = true
}

// convert changes a value as the variable's attributes want.
func (sh *Shell) convert(v *variable, value string) string {
	switch {
	case v.integer:
		return strconv.FormatInt(sh.evaluate(value), 10)
	case v.lower:
		return strings.ToLower(value)
	case v.upper:
		return strings.Map(unicode.ToUpper, value)
	}
	return value
}

// assign sets a variable that is not an array, or the first element of one.
func (sh *Shell) assign(name, value string) {
	if v := sh.vars[name]; v != nil && v.nameref && v.str != "" {
		name = sh.resolve(name)
		if target, subscript, ok := cutSubscript(name); ok {
			sh.assignElement(target, subscript, value, false)
			return
		}
	}
	sh.changing(name)
	v := sh.own(name)
	value = sh.convert(v, value)
	switch v.kind {
	case indexed:
		v.putAt(0, value)
	case associative:
		v.put("0", value)
	default:
		v.str, v.set = value, true
	}
	if sh.options.on['a'] {
		v.exported = true
	}
	sh.assigned(name, value)
}

// changing ends the command if a variable may not be changed.
func (sh *Shell) changing(name string) {
	if v := sh.vars[name]; v != nil && v.readonly || name == "SHELLOPTS" || name == "BASHOPTS" {
		sh.errorf("%s: readonly variable", name)
		panic(discard{1})
	}
}

// assigned does what assigning to a special variable does.
func (sh *Shell) assigned(name, value string) {
	switch name {
	case "RANDOM":
		n, _ := strconv.ParseUint(value, 10, 64)
		sh.random = rand.New(rand.NewPCG(n, 0))
	case "SECONDS":
		sh.start = time.Now()
		sh.seconds, _ = strconv.Atoi(value)
	case "OPTIND":
		sh.optionAt = 0
	}
}

// assignElement sets an element of an array. The subscript is as it was written.
func (sh *Shell) assignElement(name, subscript, value string, plus bool) {
	name = sh.resolve(name)
	sh.changing(name)
	if v := sh.vars[name]; v != nil && v.kind == associative {
		v = sh.own(name)
		key := sh.expandText(subscript)
		if plus {
			if v.integer {
				value = v.assoc[key] + "+" + value
			} else {
				value = v.assoc[key] + value
			}
		}
		v.put(key, sh.convert(v, value))
		return
	}
	sh.assignAt(name, int(sh.evaluate(subscript)), value, plus)
}

func (sh *Shell) assignAt(name string, index int, value string, plus bool) {
	v := sh.own(name)
	v.array(indexed)
	if index < 0 {
		if index += v.end(); index < 0 {
			sh.errorf("%s[%d]: bad array subscript", name, index-v.end())
			panic(discard{1})
		}
	}
	if plus {
		old, _ := v.at(index)
		if v.integer {
			old += "+"
		}
		value = old + value
	}
	v.putAt(index, sh.convert(v, value))
}

// element returns an element of an array. The subscript is as it was written.
func (sh *Shell) element(name, subscript string) (string, bool) {
	v := sh.lookup(name)
	if v != nil && v.kind == associative {
		value, ok := v.assoc[sh.expandText(subscript)]
		return value, ok
	}
	index := int(sh.evaluate(subscript))
	if v == nil {
		return "", false
	}
	return v.at(index)
}

// unset removes a variable, or an element of an array, and returns whether that is allowed.
func (sh *Shell) unset(name string) bool {
	base, subscript, isElement := cutSubscript(name)
	base = sh.resolve(base)
	v := sh.vars[base]
	if v == nil {
		switch name {
		case "RANDOM", "SECONDS", "EPOCHSECONDS", "EPOCHREALTIME", "SRANDOM", "FUNCNAME", "BASH_SUBSHELL":
			if sh.unspecial == nil {
				sh.unspecial = map[string]bool{}
			}
			sh.unspecial[name] = true
		}
		return true
	}
	if v.readonly {
		sh.errorf("unset: %s: cannot unset: readonly variable", name)
		return false
	}
	if isElement {
		v = sh.own(base)
		switch {
		case v.kind == associative:
			delete(v.assoc, sh.expandText(subscript))
		case subscript == "@" || subscript == "*":
			delete(sh.vars, base)
		case v.kind == indexed:
			index := int(sh.evaluate(subscript))
			if index < 0 {
				index += v.end()
			}
			if i, ok := v.find(index); ok {
				v.list = slices.Delete(v.list, i, i+1)
			}
		case sh.evaluate(subscript) == 0:
			delete(sh.vars, base)
		default:
			sh.errorf("unset: %s: not an array variable", base)
			return false
		}
		return true
	}
	if n := sh.inFunction(); n >= 0 {
		if _, local := sh.frames[n].saved[base]; local {
			// It stays local.
			sh.vars[base] = &variable{owner: sh.owner}
			return true
		}
	}
	// What a function around this one has made local uncovers what is outside of it.
	for _, f := range slices.Backward(sh.frames) {
		if outer, ok := f.saved[base]; ok {
			delete(f.saved, base)
			if outer != nil {
				sh.vars[base] = outer
				return true
			}
			break
		}
	}
	delete(sh.vars, base)
	return true
}

// local makes a variable local to the function that runs.
func (sh *Shell) local(name string) *variable {
	f := &sh.frames[sh.inFunction()]
	if _, ok := f.saved[name]; ok {
		return sh.own(name)
	}
	if f.saved == nil {
		f.saved = map[string]*variable{}
	}
	outer := sh.vars[name]
	f.saved[name] = outer
	v := &variable{owner: sh.owner}
	if outer != nil && sh.shopt["localvar_inherit"] {
		delete(sh.vars, name)
		c := *outer
		c.owner = nil
		sh.vars[name] = &c
		return sh.own(name)
	}
	if outer != nil {
		v.exported = outer.exported // as for temporary ones
		if !outer.exported {
			v.exported = false
		}
	}
	sh.vars[name] = v
	return v
}

// leave puts back what a function has made local.
func (sh *Shell) leave(f frame) {
	for name, v := range f.saved {
		if v == nil {
			delete(sh.vars, name)
		} else {
			sh.vars[name] = v
		}
	}
}

// environment returns the variables for a command, each as NAME=value, sorted.
func (sh *Shell) environment() []string {
	var list []string
	for name, v := range sh.vars {
		if v.exported && v.set && v.kind == scalar {
			list = append(list, name+"="+v.str)
		}
	}
	slices.Sort(list)
	return list
}

// env is the environment for a command: the shell's, and that of the command.
type env struct {
	sh   *Shell
	more []string
}

// Lookup returns a variable.
func (e env) Lookup(name string) (string, bool) {
	for i := len(e.more) - 1; i >= 0; i-- {
		if n, value, _ := strings.Cut(e.more[i], "="); n == name {
			return value, true
		}
	}
	if v := e.sh.vars[name]; v != nil && v.exported && v.kind == scalar && v.set {
		return v.str, true
	}
	return "", false
}

// List returns all of them.
func (e env) List() []string {
	list := e.sh.environment()
	for _, entry := range e.more {
		name, _, _ := strings.Cut(entry, "=")
		list = slices.DeleteFunc(list, func(old string) bool { return strings.HasPrefix(old, name+"=") })
		list = append(list, entry)
	}
	return list
}
