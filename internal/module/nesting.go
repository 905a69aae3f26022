package module

import "strings"

// nesting is what is open at one place of TypeScript code, within a pair of brackets or outside of all. Each count is
// an upper bound on how deep the parser's calls, and the passes over what it returns, go there.
type nesting struct {
	statements int // heads of statements, such as if and else, and labels
	operators  int // operators whose right side reaches far, such as = and ?:, and words that begin something
	prefixes   int // operators before an operand
	suffixes   int // calls, members and the like after an operand
	angles     int // angle brackets, and operators that look like them
	conditions int // ?
	returns    int // colons that may begin the type of an arrow function between ? and :
	readings   int // places where the parser may have to read on in two ways

	terms        int // operators between operands
	alternatives int // | and &
	items        int // commas

	last int  // the calls of the statement that has just ended: an else goes on from there
	list bool // whether these are the elements of an array
	enum bool // whether this is in an enum
}

func (n *nesting) calls() int {
	return 1 + n.statements + n.operators + n.prefixes + n.suffixes + n.angles
}

// endOperand is for an operator between operands.
func (n *nesting) endOperand() { n.prefixes, n.suffixes = 0, 0 }

// endExpression is for a comma: what follows begins anew, unless the comma is between types in angle brackets.
func (n *nesting) endExpression() {
	if n.angles == 0 {
		*n = nesting{statements: n.statements, items: n.items, last: n.last, list: n.list, enum: n.enum}
	}
}

func (n *nesting) endStatement() {
	*n = nesting{last: n.statements + n.operators + n.prefixes, list: n.list, enum: n.enum}
}

// prefixWords are operators that stand before an operand or a type.
var prefixWords = wordSet("typeof void delete await new keyof readonly unique")

// statementWords begin a statement that another one is part of.
var statementWords = wordSet("if else for while do with export declare abstract try finally catch")

// softWords can be names, and then be operands, but mean something else in some places.
var softWords = wordSet("abstract accessor as assert asserts async await declare defer enum extends from get global " +
	"implements infer interface is keyof let module namespace of out override private protected public readonly require " +
	"satisfies set source static type unique using yield")

// joiningWords are those that go on with what stands before them, also in a new line or after a brace.
var joiningWords = wordSet("in of instanceof as satisfies extends implements is from while else catch finally")

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}
