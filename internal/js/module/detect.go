package module

// Detect guesses the kind of JavaScript or TypeScript code, in time linear in its length. It never returns JSON.
//
// An import or export declaration, import.meta, or an await outside of functions makes the code an ES module.
// Otherwise, a use of module.exports or exports makes it CommonJS, unless these are the code's own parameters or
// variables, as in bundles.
func Detect(code string) Kind {
	kind, _ := detect(code)
	return kind
}

// names is a set of names that are typical of CommonJS code.
type names uint8

const (
	moduleName names = 1 << iota
	exportsName
	requireName
)

var commonNames = map[string]names{"module": moduleName, "exports": exportsName, "require": requireName}

// scope is the detector's state within a pair of brackets, or outside of all.
type scope struct {
	own      names // names that are parameters or variables of the code here
	function bool  // whether this is in a function
	arrow    bool  // whether this may be in an arrow function without braces
	listed   names // names that stand alone between these brackets
	outside  names // the value of own before the arrow function
}

// detector reads code and keeps the last tokens.
type detector struct {
	lexer
	scopes           []scope
	listed           names // the names listed in the pair of brackets closed last
	one, two, three  token // the tokens before the current one, the latest first
	common           bool  // uses module.exports, exports or require
	guards, amdGuard bool  // tests the type of module or exports, or of define
	awaits           bool  // awaits outside of functions
}

// detect returns the kind of code, and whether it checks how it is run (a universal module definition).
func detect(code string) (kind Kind, universal bool) {
	d := detector{lexer: *newLexer(code), scopes: make([]scope, 1, 16)}
	for {
		t := d.next()
		if t.kind == endOfFile || t.kind == broken {
			break
		}
		if d.declares(t) {
			return ES, false
		}
		d.mark(t)
		d.follow(t)
		d.one, d.two, d.three = t, d.one, d.two
	}
	switch {
	case d.common || d.guards:
		return CommonJS, d.guards || d.amdGuard
	case d.awaits:
		return ES, false
	}
	return Script, false
}

// declares reports whether t is the second token of an import or export declaration, or the last one of import.meta.
func (d *detector) declares(t token) bool {
	outermost := len(d.scopes) == 1
	switch {
	case d.is(d.one, "import"):
		return outermost && !d.is(t, "(") && !d.is(t, ".")
	case d.is(d.one, "export"):
		return outermost && (t.kind == word || d.is(t, "{") || d.is(t, "*") || d.is(t, "@"))
	}
	return t.member && d.text(t) == "meta" && d.is(d.two, "import")
}

// mark records signs of CommonJS, signs of universal module definitions, and awaits, if they end with t.
func (d *detector) mark(t token) {
	at := &d.scopes[len(d.scopes)-1]
	free := func(t token) names {
		if t.kind != word || t.member {
			return 0
		}
		return commonNames[d.text(t)] &^ at.own
	}
	switch {
	case t.member && d.text(t) == "exports", t.kind == quoted && d.is(d.one, "[") && trimQuotes(d.text(t)) == "exports":
		d.common = d.common || free(d.two) == moduleName
	case d.is(t, "["):
		d.common = d.common || free(d.one) == exportsName
	case d.is(t, "="):
		d.common = d.common || d.one.member && free(d.three) == exportsName ||
			d.is(d.one, "export") && len(d.scopes) == 1 // TypeScript's export =
	case d.is(t, ",") && d.is(d.two, "("):
		switch d.text(d.three) {
		case "defineProperty", "defineProperties", "assign":
			d.common = d.common || free(d.one) == exportsName
		}
	case t.kind == quoted && d.is(d.one, "("):
		// Elsewhere, a call of require may be conditional.
		begins := d.is(d.three, "=") || d.is(d.three, ";") || d.three.kind == endOfFile || d.two.newline
		d.common = d.common || len(d.scopes) == 2 && begins && free(d.two) == requireName
	}
	if d.is(d.one, "typeof") || d.is(d.one, "(") && d.is(d.two, "typeof") {
		d.guards = d.guards || free(t)&(moduleName|exportsName) != 0
		d.amdGuard = d.amdGuard || d.is(t, "define")
	}
	if d.is(d.one, "await") && !at.function && !at.arrow {
		d.awaits = d.awaits || d.beginsOperand(t)
	}
}

// beginsOperand reports whether t, which follows await, begins an operand. Otherwise, await is a name.
func (d *detector) beginsOperand(t token) bool {
	switch t.kind {
	case word:
		switch d.text(t) {
		case "in", "of", "instanceof", "as", "satisfies":
			return false
		}
		return !t.newline
	case number, quoted, template, templateHead, regex:
		return true
	}
	switch {
	case d.is(t, "[") || d.is(t, "{"):
		return true
	case d.is(t, "("): // it may be a call or a method named await
		return len(d.scopes) == 1 || d.two.kind == punctuator && !d.is(d.two, "{") && !d.is(d.two, ",") &&
			!d.is(d.two, "}") && !d.is(d.two, ";") && !d.is(d.two, "*")
	}
	return false
}

// follow updates the scopes after t.
func (d *detector) follow(t token) {
	at := &d.scopes[len(d.scopes)-1]
	name := names(0)
	if t.kind == word && !t.member {
		name = commonNames[d.text(t)]
	}
	if name != 0 {
		switch {
		case d.is(d.one, "(") || d.is(d.one, ","):
			at.listed |= name
		case d.is(d.one, "var") || d.is(d.one, "let") || d.is(d.one, "const"):
			at.own |= name
		}
	}
	switch {
	case d.depth() >= len(d.scopes): // t opens a bracket
		inner := scope{own: at.own, function: at.function || at.arrow || t.bracket.function}
		if t.bracket.function && d.is(d.one, ")") {
			inner.own |= d.listed
		}
		d.scopes = append(d.scopes, inner)
	case d.depth() < len(d.scopes)-1: // t closes a bracket
		d.listed = at.listed
		d.scopes = d.scopes[:len(d.scopes)-1]
	case d.is(t, "=>"):
		if !at.arrow {
			at.arrow, at.outside = true, at.own
		}
		if d.is(d.one, ")") {
			at.own |= d.listed
		} else if d.one.kind == word {
			at.own |= commonNames[d.text(d.one)]
		}
	case at.arrow && (d.is(t, ",") || d.is(t, ";") || t.newline && t.kind == word && d.mayEndOperand(d.one)):
		at.arrow, at.own = false, at.outside
	}
}

// trimQuotes returns the text between the quotes of a string without escapes.
func trimQuotes(s string) string { return s[1 : len(s)-1] }
