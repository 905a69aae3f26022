package module

import "strings"

// nesting counts what is open at one place of TypeScript code, within one pair of brackets or outside of all. Each
// count is an upper bound on the depth of the parser's calls there, and of the passes over its result.
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

	last int  // the calls of the statement that has just ended, for an else
	list bool // whether these are the elements of an array
	enum bool // whether this is in an enum
}

func (n *nesting) calls() int {
	return 1 + n.statements + n.operators + n.prefixes + n.suffixes + n.angles
}

// endOperand handles an operator between operands.
func (n *nesting) endOperand() { n.prefixes, n.suffixes = 0, 0 }

// endExpression handles a comma: the counts begin anew, unless the comma is between types in angle brackets.
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

// softWords can be names, but are keywords in some places.
var softWords = wordSet("abstract accessor as assert asserts async await declare defer enum extends from get global " +
	"implements infer interface is keyof let module namespace of out override private protected public readonly require " +
	"satisfies set source static type unique using yield")

// joiningWords continue a statement even on a new line or after a brace.
var joiningWords = wordSet("in of instanceof as satisfies extends implements is from while else catch finally")

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}
