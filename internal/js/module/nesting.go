package module

import "strings"

// nesting counts what is open at one position of TypeScript code, within one pair of brackets or outside of all. Each
// count is an upper bound on the recursion depth of the parser there, and of the passes over its result.
type nesting struct {
	statements int // heads of statements, such as if and else, and labels
	operators  int // operators with a far-reaching right side, such as = and ?:, and words with a similar effect
	prefixes   int // operators before an operand
	suffixes   int // calls, members and the like after an operand
	angles     int // angle brackets, and operators that look like them
	conditions int // ?
	returns    int // colons that may begin the return type of an arrow function between ? and :
	readings   int // positions where the parser may have to try two readings

	terms        int // operators between operands
	alternatives int // | and &
	items        int // commas

	last int  // the calls of the statement that has just ended, to which an else may belong
	list bool // whether these are the elements of an array
	enum bool // whether this is in an enum
}

func (n *nesting) calls() int {
	return 1 + n.statements + n.operators + n.prefixes + n.suffixes + n.angles
}

// endOperand handles an operator between operands.
func (n *nesting) endOperand() { n.prefixes, n.suffixes = 0, 0 }

// endExpression handles a comma. It resets the counts, unless the comma stands between types in angle brackets.
func (n *nesting) endExpression() {
	if n.angles == 0 {
		*n = nesting{statements: n.statements, items: n.items, last: n.last, list: n.list, enum: n.enum}
	}
}

func (n *nesting) endStatement() {
	*n = nesting{last: n.statements + n.operators + n.prefixes, list: n.list, enum: n.enum}
}

// prefixWords are operators before an operand or a type.
var prefixWords = wordSet("typeof void delete await new keyof readonly unique")

// statementWords begin a statement that contains another statement.
var statementWords = wordSet("if else for while do with export declare abstract try finally catch")

// softWords are names in some places and keywords in others.
var softWords = wordSet("abstract accessor as assert asserts async await declare defer enum extends from get global " +
	"implements infer interface is keyof let module namespace of out override " +
	"private protected public readonly require satisfies set source static type unique using yield")

// joiningWords continue a statement even after a line break or a brace.
var joiningWords = wordSet("in of instanceof as satisfies extends implements is from while else catch finally")

func wordSet(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}
