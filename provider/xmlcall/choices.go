package xmlcall

// A choice is a value that a schema names.
type choice struct {
	value any
	// description is what is said of this value alone, or "".
	description string
}

// choices returns the values that a schema names: those of const and enum, in all of its alternatives but null. others
// reports whether there can be different ones. fixed reports whether there is a single one, and it is a constant.
func (d document) choices(schema any) (named []choice, others, fixed bool) {
	visits := maxVisits
	named, others = d.choicesIn(schema, &visits)
	for _, o := range d.every(schema) {
		if _, ok := o.lookup("const"); ok && len(d.alternatives(schema)) == 0 {
			fixed = len(named) == 1
		}
	}
	return named, others, fixed
}

func (d document) choicesIn(schema any, visits *int) (named []choice, others bool) {
	o := d.resolve(schema)
	if *visits--; *visits < 0 || o == nil {
		return nil, true
	}
	if v, ok := o.lookup("const"); ok {
		return []choice{{v, o.text("description")}}, false
	}
	if values := o.list("enum"); values != nil {
		*visits -= len(values) / maxVisits // long lists take time, too
		for _, v := range values {
			named = append(named, choice{value: v})
		}
		if len(named) == 1 {
			named[0].description = o.text("description")
		}
		return named, false
	}
	if alternatives := d.alternatives(o); alternatives != nil {
		known := map[any]bool{}
		for _, part := range alternatives {
			more, open := d.choicesIn(part, visits)
			others = others || open
			if len(alternatives) > 1 {
				more = unknownOf(more, known)
				remember(more, known)
			}
			named = append(named, more...)
		}
		return named, others
	}
	others = true
	for _, part := range o.list("allOf") {
		more, open := d.choicesIn(part, visits)
		switch {
		case open && !others || len(more) == 0:
		case others && !open || len(named) == 0:
			named, others = more, open
		case !open:
			named = without(named, without(named, more))
		}
	}
	return named, others
}

// without returns the choices whose values are not among others.
func without(choices, others []choice) []choice {
	if len(choices) == 0 || len(others) == 0 {
		return choices
	}
	known := make(map[any]bool, len(others))
	remember(others, known)
	return unknownOf(choices, known)
}

// remember adds the values of choices to those that are known.
func remember(choices []choice, known map[any]bool) {
	for _, c := range choices {
		if _, list := c.value.([]any); !list { // which cannot be a key
			known[c.value] = true
		}
	}
}

// unknownOf returns the choices whose values are not known.
func unknownOf(choices []choice, known map[any]bool) []choice {
	var left []choice
	for _, c := range choices {
		if _, list := c.value.([]any); list || !known[c.value] {
			left = append(left, c)
		}
	}
	return left
}

// alternatives returns the schemas in anyOf or oneOf that allow more than null.
func (d document) alternatives(schema any) []any {
	o := d.resolve(schema)
	var parts []any
	for _, keyword := range []string{"anyOf", "oneOf"} {
		for _, part := range o.list(keyword) {
			if len(parts) == maxVisits {
				break
			}
			if !d.onlyNull(part) {
				parts = append(parts, part)
			}
		}
	}
	return parts
}

// onlyNull reports whether a schema says itself that it is null.
func (d document) onlyNull(schema any) bool {
	o := d.resolve(schema)
	v, isConst := o.lookup("const")
	values := o.list("enum")
	return o.text("type") == "null" || isConst && v == nil || len(values) == 1 && values[0] == nil
}

// every returns the schemas that a value has to fit if it is not null: a schema, what it refers to, all parts of allOf, and the
// only alternative, if there is just one besides null.
func (d document) every(schema any) []*object {
	var all []*object
	visits := maxVisits
	var add func(schema any)
	add = func(schema any) {
		beside, _ := schema.(*object)
		if visits--; visits < 0 || beside == nil {
			return
		}
		all = append(all, beside)
		o := d.resolve(beside)
		if o != beside {
			all = append(all, o)
		}
		for _, part := range o.list("allOf") {
			add(part)
		}
		if alternatives := d.alternatives(o); len(alternatives) == 1 {
			add(alternatives[0])
		}
	}
	add(schema)
	return all
}
