package module

// tokenKind is the kind of a token, as far as this package needs it.
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
	broken                 // a string, comment, template or character that ends the program as far as a parser can read it
)

// token is a piece of source.
type token struct {
	kind       tokenKind
	start, end int     // bytes
	newline    bool    // whether a line ends between the token before and this one
	member     bool    // the name of a property: a word after a dot
	bracket    bracket // for brackets
	// uncertain means that this slash could also be read the other way: as a regular expression or a division.
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

// reservedWords are words that are never names of variables, with the meaning of a slash after each.
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
	eitherSlash // it depends on more than the tokens before
)

// headWords come before a parenthesis that is followed by a statement or a block, not by a function's body.
var headWords = map[string]bool{"if": true, "for": true, "while": true, "with": true}

// blockWords, like headWords, come before a parenthesis, which is followed by a block.
var blockWords = map[string]bool{"switch": true, "catch": true}
