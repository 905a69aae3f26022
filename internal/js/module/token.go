package module

// tokenKind distinguishes tokens as far as this package needs it.
type tokenKind uint8

const (
	endOfFile    tokenKind = iota
	word                   // an identifier or a keyword
	privateName            // #name
	number                 // with the suffix n too
	quoted                 // a string
	template               // a whole template without substitutions, or the last part of one with them
	templateHead           // from the back quote or a closing brace to the next ${
	regex                  // with its flags
	punctuator             // brackets too
	// a string, comment, template or character that ends the program, as far as a parser can read it
	broken
)

// token is a piece of source.
type token struct {
	kind       tokenKind
	start, end int     // bytes
	newline    bool    // whether a line ends between the previous token and this one
	member     bool    // whether it is the name of a property, a word after a dot
	bracket    bracket // for brackets
	// uncertain means that a slash could also have the other meaning: regular expression or division.
	uncertain bool
}

// bracket describes a pair of brackets.
type bracket struct {
	open     byte // '(', '[', '{', or '`' for the braces in a template
	head     bool // parentheses after if, for, while or with
	block    bool // parentheses after another word that begins a block
	function bool // the braces of a function's body
	value    bool // the braces of an object, not of a block
}

// reservedWords cannot be names of variables. The values are the meanings of a slash after them.
var reservedWords = map[string]slash{
	"break": eitherSlash, "case": regexSlash, "catch": regexSlash, "class": regexSlash, "const": eitherSlash,
	"continue": eitherSlash, "debugger": eitherSlash, "default": regexSlash, "delete": regexSlash, "do": regexSlash,
	"else": regexSlash, "enum": regexSlash, "export": regexSlash, "extends": regexSlash, "false": divisionSlash,
	"finally": regexSlash, "for": regexSlash, "function": regexSlash, "if": regexSlash, "import": regexSlash,
	"in": regexSlash, "instanceof": regexSlash, "new": regexSlash, "null": divisionSlash, "return": regexSlash,
	"super": divisionSlash, "switch": regexSlash, "this": divisionSlash, "throw": regexSlash, "true": divisionSlash,
	"try": regexSlash, "typeof": regexSlash, "var": regexSlash, "void": eitherSlash, "while": regexSlash,
	"with": regexSlash,
	// These are names in some places.
	"await": eitherSlash, "of": eitherSlash, "yield": eitherSlash,
}

// slash is the meaning of a slash after a token.
type slash uint8

const (
	divisionSlash slash = iota
	regexSlash
	eitherSlash // depends on more than the previous tokens
)

// headWords precede parentheses that are followed by a statement or a block, not by the body of a function.
var headWords = map[string]bool{"if": true, "for": true, "while": true, "with": true}

// blockWords precede parentheses that are followed by a block.
var blockWords = map[string]bool{"switch": true, "catch": true}
