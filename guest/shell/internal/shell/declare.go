package shell

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// assignment does an assignment that is a command by itself.
func (sh *Shell) assignment(as *syntax.Assign) {
	name := as.Name.Value
	switch {
	case as.Array != nil:
		sh.assignArray(name, as.Array, as.Append)
	case as.Index != nil:
		value := ""
		if as.Value != nil {
			value = sh.assigned1(as.Value)
		}
		sh.assignIndexed(name, as.Index, value, as.Append)
		sh.xtrace(func() string { return name + "[" + rawIndex(as.Index) + "]=" + quoteTrace(value) })
	default:
		value := ""
		if as.Value != nil {
			value = sh.assigned1(as.Value)
		}
		sh.xtrace(func() string {
			if as.Append {
				return name + "+=" + quoteTrace(value)
			}
			if value == "" {
				return name + "="
			}
			return name + "=" + quoteTrace(value)
		})
		if as.Append {
			sh.appendTo(name, value)
		} else {
			sh.assign(name, value)
		}
	}
}

// appendTo does name+=value.
func (sh *Shell) appendTo(name, value string) {
	name = sh.resolve(name)
	old, _ := sh.get(name)
	if v := sh.vars[name]; v != nil {
		switch {
		case v.integer:
			sh.assign(name, itoa(sh.evaluate(old)+sh.evaluate(value)))
			return
		case v.kind == scalar && v.owner == sh.owner && !v.readonly && !v.lower && !v.upper && v.set:
			v.str += value
			sh.assigned(name, v.str)
			return
		}
	}
	sh.assign(name, old+value)
}

// assignIndexed does name[index]=value.
func (sh *Shell) assignIndexed(name string, index syntax.ArithmExpr, value string, plus bool) {
	name = sh.resolve(name)
	sh.changing(name)
	if v := sh.vars[name]; v != nil && v.kind == associative {
		key := sh.key(index)
		v = sh.own(name)
		if plus {
			value = v.assoc[key] + value
		}
		v.put(key, sh.convert(v, value))
		return
	}
	if allElements(index) != "" || strings.TrimSpace(rawIndex(index)) == "" {
		sh.errorf("%s[%s]: bad array subscript", name, rawIndex(index))
		panic(discard{1})
	}
	sh.assignAt(name, int(sh.arithmetic(index)), value, plus)
}

// assignArray does name=(...) and name+=(...).
func (sh *Shell) assignArray(name string, array *syntax.ArrayExpr, plus bool) {
	name = sh.resolve(name)
	sh.changing(name)
	type entry struct {
		key   *string
		index *int
		value string
		turn  bool // the key was a word, and its value is the next one
		open  bool // that has not come yet
	}
	isAssociative := sh.vars[name] != nil && sh.vars[name].kind == associative
	var entries []entry
	for _, e := range array.Elems {
		switch {
		case e.Index != nil:
			value := ""
			if e.Value != nil {
				value = sh.literal(e.Value)
			}
			if isAssociative {
				key := sh.key(e.Index)
				entries = append(entries, entry{key: &key, value: value})
				continue
			}
			i := int(sh.arithmetic(e.Index))
			entries = append(entries, entry{index: &i, value: value})
		case isAssociative && len(entries) > 0 && entries[0].key != nil && !entries[0].turn:
			for _, field := range sh.expandWord(e.Value) {
				sh.errorf("%s: %s: must use subscript when assigning associative array", name, field)
			}
		case isAssociative:
			// Keys and values in turn.
			for _, field := range sh.expandWord(e.Value) {
				if n := len(entries) - 1; n >= 0 && entries[n].open {
					entries[n].value, entries[n].open = field, false
					continue
				}
				entries = append(entries, entry{key: &field, open: true, turn: true})
			}
		default:
			for _, field := range sh.expandWord(e.Value) {
				entries = append(entries, entry{value: field})
			}
		}
	}
	v := sh.own(name)
	if !plus {
		v.list, v.assoc, v.order, v.str = nil, nil, nil, ""
		if v.kind == scalar {
			v.kind, v.set = indexed, false
		}
	}
	if isAssociative {
		v.kind = associative
		if v.assoc == nil {
			v.assoc, v.order = map[string]string{}, map[string]int{}
		}
	} else {
		v.array(indexed)
	}
	v.set = true
	next := 0
	if plus {
		next = v.end()
	}
	for _, e := range entries {
		switch {
		case e.key != nil:
			v.put(*e.key, sh.convert(v, e.value))
			continue
		case e.index != nil:
			next = *e.index
			if next < 0 {
				if next += v.end(); next < 0 {
					sh.errorf("[%d]=%s: bad array subscript", *e.index, e.value)
					panic(discard{1})
				}
			}
		}
		v.putAt(next, sh.convert(v, e.value))
		next++
	}
}

// attributes returns the letters of a variable's attributes.
func (v *variable) attributes() string {
	var b strings.Builder
	add := func(on bool, letter byte) {
		if on {
			b.WriteByte(letter)
		}
	}
	add(v.kind == indexed, 'a')
	add(v.kind == associative, 'A')
	add(v.integer, 'i')
	add(v.lower, 'l')
	add(v.nameref, 'n')
	add(v.readonly, 'r')
	add(v.upper, 'u')
	add(v.exported, 'x')
	return b.String()
}

// quoteKey quotes a key as declare -p does.
func quoteKey(key string) string {
	if key == "" || strings.ContainsAny(key, " \t\n|&;<>()$`\"'\\*?[]{}!^=~#@") || needsDollar(key) {
		return quoteDouble(key)
	}
	return key
}

// declaration returns a value as it can be read again.
func (v *variable) declaration() string {
	var parts []string
	switch v.kind {
	case indexed:
		for _, e := range v.list {
			parts = append(parts, "["+strconv.Itoa(e.index)+"]="+quoteDouble(e.value))
		}
		return "(" + strings.Join(parts, " ") + ")"
	case associative:
		for _, key := range v.keys() {
			parts = append(parts, "["+quoteKey(key)+"]="+quoteDouble(v.assoc[key])+" ")
		}
		return "(" + strings.Join(parts, "") + ")"
	}
	return quoteTrace(v.str)
}

// show writes a variable as declare -p does.
func (sh *Shell) show(name string, v *variable) {
	flags := v.attributes()
	if flags == "" {
		flags = "-"
	}
	text := "declare -" + flags + " " + name
	if v.set || v.nameref {
		value := v.declaration()
		if v.kind == scalar {
			value = quoteDouble(v.str)
		}
		text += "=" + value
	}
	_ = sh.print(1, text+"\n")
}

// declaring is what a declaration's options say.
type declaring struct {
	on, off          [128]bool
	print, global    bool
	functions, names bool
	command          string
	status           int
}

// declClause does declare, local, export, readonly and typeset.
func (sh *Shell) declClause(c *syntax.DeclClause) {
	command := c.Variant.Value
	d := declaring{command: command}
	switch command {
	case "export":
		d.on['x'] = true
	case "readonly":
		d.on['r'] = true
	case "nameref":
		d.on['n'] = true
	}
	defer func() { sh.status = d.status }()
	options := true
	any := false
	for _, as := range sh.expandedFirst(c.Args) {
		if as.Name == nil {
			// An option, or a word that is expanded first.
			for _, field := range sh.expandWord(as.Value) {
				if options && len(field) > 1 && (field[0] == '-' || field[0] == '+') {
					if field == "--" {
						options = false
						continue
					}
					if !sh.declareOption(&d, field) {
						d.status = 2
						return
					}
					continue
				}
				any = true
				options = false
				sh.declareText(&d, field)
			}
			continue
		}
		if as.Naked && as.Index == nil && options && strings.IndexAny(as.Name.Value, "-+") == 0 {
			if !sh.declareOption(&d, as.Name.Value) {
				d.status = 2
				return
			}
			continue
		}
		any, options = true, false
		sh.declareAssign(&d, as)
	}
	if !any {
		sh.declareList(&d)
	}
}

// expandedFirst returns assignments whose values are expanded, before the first of them is done.
func (sh *Shell) expandedFirst(assigns []*syntax.Assign) []*syntax.Assign {
	if len(assigns) < 2 {
		return assigns
	}
	expanded := slices.Clone(assigns)
	for i, as := range assigns {
		if as.Name != nil && as.Value != nil && as.Array == nil && as.Value.Lit() == "" {
			text := &syntax.SglQuoted{Value: sh.assigned1(as.Value)}
			first := *as
			first.Value = &syntax.Word{Parts: []syntax.WordPart{text}}
			expanded[i] = &first
		}
	}
	return expanded
}

func (sh *Shell) declareOption(d *declaring, option string) bool {
	for _, letter := range option[1:] {
		on := option[0] == '-'
		switch {
		case letter == 'p':
			d.print = true
		case letter == 'g':
			d.global = true
		case letter == 'f' && d.command != "export":
			d.functions = true
		case letter == 'f':
			d.functions = true
		case letter == 'F':
			d.functions, d.names = true, true
		case letter == 'I' || letter == 't':
		case strings.ContainsRune("aAilnrux", letter) && on:
			d.on[letter] = true
		case strings.ContainsRune("aAilnrux", letter):
			d.off[letter] = true
		case letter == 'n' && d.command == "export":
			d.off['x'] = true
		default:
			sh.errorf("%s: %c%c: invalid option", d.command, option[0], letter)
			return false
		}
	}
	if d.command == "export" && d.on['n'] {
		d.on['n'], d.on['x'] = false, false
		d.off['x'] = true
	}
	return true
}

// declareText declares what was expanded to NAME or NAME=value.
func (sh *Shell) declareText(d *declaring, field string) {
	name, value, valued := strings.Cut(field, "=")
	plus := strings.HasSuffix(name, "+") && valued
	name = strings.TrimSuffix(name, "+")
	base, subscript, element := cutSubscript(name)
	if !validName(base) {
		if d.functions {
			sh.declareFunction(d, field)
			return
		}
		sh.errorf("%s: `%s': not a valid identifier", d.command, field)
		d.status = 1
		return
	}
	if !element && valued && strings.HasPrefix(value, "(") && strings.HasSuffix(value, ")") &&
		(d.on['a'] || d.on['A'] || sh.vars[base] != nil && sh.vars[base].kind != scalar) {
		// A compound assignment in a text.
		file, err := syntax.NewParser().Parse(strings.NewReader("x="+value), "")
		if err == nil && len(file.Stmts) == 1 {
			if call, ok := file.Stmts[0].Cmd.(*syntax.CallExpr); ok && len(call.Assigns) == 1 &&
				call.Assigns[0].Array != nil {
				sh.declared(d, base, func() { sh.assignArray(base, call.Assigns[0].Array, plus) }, true)
				return
			}
		}
	}
	sh.declared(d, base, func() {
		switch {
		case !valued:
		case element:
			sh.assignElement(base, subscript, value, plus)
		case d.on['n']:
			sh.own(base).str, sh.own(base).set = value, true
		case plus:
			sh.appendTo(base, value)
		default:
			sh.assign(base, value)
		}
	}, valued)
}

func (sh *Shell) declareAssign(d *declaring, as *syntax.Assign) {
	name := as.Name.Value
	if d.functions {
		sh.declareFunction(d, name)
		return
	}
	if !validName(name) {
		sh.errorf("%s: `%s': not a valid identifier", d.command, name)
		d.status = 1
		return
	}
	var value string
	if as.Value != nil {
		value = sh.assigned1(as.Value)
	}
	sh.declared(d, name, func() {
		switch {
		case as.Naked:
		case as.Array != nil:
			sh.assignArray(name, as.Array, as.Append)
		case as.Index != nil && (d.command == "export" || d.command == "readonly"):
			sh.errorf("%s: `%s[%s]': not a valid identifier", d.command, name, rawIndex(as.Index))
			d.status = 1
		case as.Index != nil:
			sh.assignIndexed(name, as.Index, value, as.Append)
		case d.on['n']:
			v := sh.own(name)
			v.str, v.set = value, true
		case as.Append:
			sh.appendTo(name, value)
		default:
			sh.assign(name, value)
		}
	}, !as.Naked)
}

// declared gives a variable its attributes, and a value.
func (sh *Shell) declared(d *declaring, name string, assign func(), valued bool) {
	if d.command == "local" && sh.inFunction() < 0 {
		sh.errorf("local: can only be used in a function")
		d.status = 1
		return
	}
	if d.print {
		v := sh.vars[name]
		if v == nil {
			sh.errorf("%s: %s: not found", d.command, name)
			d.status = 1
			return
		}
		sh.show(name, v)
		return
	}
	local := sh.inFunction() >= 0 && !d.global && (d.command == "local" || d.command == "declare" ||
		d.command == "typeset" ||
		d.command == "nameref")
	if !local && !d.on['n'] && !d.off['n'] {
		name = sh.resolve(name)
	}
	v := sh.vars[name]
	if v != nil && v.readonly && (valued || d.off['r'] || d.on['i']) {
		sh.errorf("%s: readonly variable", name)
		d.status = 1
		return
	}
	if local {
		v = sh.local(name)
	} else {
		if d.global && sh.inFunction() >= 0 {
			for _, f := range sh.frames {
				if outer, ok := f.saved[name]; ok {
					inner := sh.vars[name]
					if outer == nil {
						delete(sh.vars, name)
					} else {
						sh.vars[name] = outer
					}
					sh.attributes(d, sh.own(name))
					assign()
					f.saved[name] = sh.vars[name]
					sh.vars[name] = inner
					return
				}
			}
		}
		v = sh.own(name)
	}
	if d.on['n'] {
		v.nameref = true
		assign()
		sh.attributes(d, sh.own(name))
		return
	}
	sh.attributes(d, v)
	readonly := v.readonly
	if valued {
		v.readonly = false
		assign()
		v = sh.own(name)
		v.readonly = readonly
	}
}

func (sh *Shell) attributes(d *declaring, v *variable) {
	if d.on['a'] {
		v.array(indexed)
	}
	if d.on['A'] {
		if v.kind == indexed && len(v.list) > 0 {
			sh.errorf("%s: cannot convert indexed to associative array", d.command)
			d.status = 1
			return
		}
		v.array(associative)
	}
	set := func(letter byte, to *bool) {
		if d.on[letter] {
			*to = true
		}
		if d.off[letter] {
			*to = false
		}
	}
	set('i', &v.integer)
	set('l', &v.lower)
	set('u', &v.upper)
	set('x', &v.exported)
	set('r', &v.readonly)
	set('n', &v.nameref)
	if d.on['l'] {
		v.upper = false
	}
	if d.on['u'] {
		v.lower = false
	}
}

func (sh *Shell) declareFunction(d *declaring, name string) {
	f := sh.functions[name]
	switch {
	case f == nil:
		if d.command == "export" || d.command == "readonly" {
			sh.errorf("%s: %s: not a function", d.command, name)
		}
		d.status = 1
	case d.command == "export" || d.on['x']:
		sh.unshare()
		c := *f
		c.exported = !d.off['x']
		sh.functions[name] = &c
	case d.command == "readonly":
	case d.names:
		_ = sh.print(1, name+"\n")
	default:
		_ = sh.print(1, functionText(name, f)+"\n")
	}
}

// declareList writes the variables or functions that a declaration without names asks for.
func (sh *Shell) declareList(d *declaring) {
	if d.functions {
		for _, name := range slices.Sorted(maps.Keys(sh.functions)) {
			if d.names {
				flags := ""
				if sh.functions[name].exported {
					flags = "x"
				}
				_ = sh.print(1, "declare -f"+flags+" "+name+"\n")
			} else {
				_ = sh.print(1, functionText(name, sh.functions[name])+"\n")
			}
		}
		return
	}
	if d.command == "local" {
		if sh.inFunction() < 0 {
			sh.errorf("local: can only be used in a function")
			d.status = 1
			return
		}
		saved := sh.frames[sh.inFunction()].saved
		for _, name := range slices.Sorted(maps.Keys(saved)) {
			if v := sh.vars[name]; v != nil && v.set {
				sh.show(name, v)
			}
		}
		return
	}
	attributed := d.print
	for _, letter := range "aAilnrux" {
		attributed = attributed || d.on[letter]
	}
	for _, name := range slices.Sorted(maps.Keys(sh.vars)) {
		v := sh.vars[name]
		flags := v.attributes()
		wanted := true
		for _, letter := range "aAilnrux" {
			wanted = wanted && (!d.on[letter] || strings.ContainsRune(flags, letter))
		}
		switch {
		case !wanted:
		case attributed:
			sh.show(name, v)
		case v.set:
			_ = sh.print(1, name+"="+v.declaration()+"\n")
		}
	}
}

// functionText returns a function as bash prints it.
func functionText(name string, f *function) string {
	var b strings.Builder
	printer := syntax.NewPrinter(syntax.Indent(4), syntax.FunctionNextLine(true))
	_ = printer.Print(&b, f.body)
	text := b.String()
	if strings.HasPrefix(text, "{\n") {
		text = "{ " + text[1:]
	}
	return name + " () \n" + text
}
