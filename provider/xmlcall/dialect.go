package xmlcall

import (
	"strings"

	"github.com/toolrun/toolrun/tool"
)

// A Dialect is a form in which models write calls. Some models were trained on one of the others, or keep to it better.
// Values, errors and results are the same in all of them, and so is that a call in a quoted result, or on one line
// between backquotes, is no call.
type Dialect string

const (
	// Tags is the form of [Parse], and the zero value:
	//
	//	<tool:read_files>
	//	<param:path>/notes.txt</param:path>
	//	</tool:read_files>
	Tags Dialect = ""
	// UseTool has an element for each parameter. Items of a list and properties of an object can be elements of their
	// own, in each other up to 32 deep, where the schema does not want a text. The parameters can stand in
	// <parameters>, <arguments> or <args>, or directly behind the name, and can be one JSON object:
	//
	//	<use_tool>
	//	<name>read_files</name>
	//	<parameters>
	//	<paths><item>/notes.txt</item><item>/todo.txt</item></paths>
	//	</parameters>
	//	</use_tool>
	UseTool Dialect = "use_tool"
	// Caret has a line for each parameter, and takes few tokens. There is no escaping. Each mark is on a line of its
	// own:
	//
	//	^^^read_files
	//	project: notes
	//	paths: [
	//	/notes.txt
	//	/todo.txt
	//	]
	//	comment ---
	//	A text of
	//	several lines.
	//	--- comment
	//	^^^
	Caret Dialect = "caret"
)

// Dialects lists all dialects.
func Dialects() []Dialect { return []Dialect{Tags, UseTool, Caret} }

// A form is how a dialect is read, written and taught.
type form struct {
	parse func(text string) []Block
	write func(b Block) string
	guide string
}

func (d Dialect) form() form {
	switch d {
	case UseTool:
		return form{parseUseTool, writeUseTool, useToolGuide}
	case Caret:
		return form{parseCaret, writeCaret, caretGuide}
	}
	return form{Parse, Block.String, guide}
}

// Parse is [Parse] for a dialect. An unknown dialect is Tags.
func (d Dialect) Parse(text string) []Block { return d.form().parse(text) }

// Calls is [Calls] for a dialect.
func (d Dialect) Calls(definitions []*tool.Definition, text string) []Call {
	return callsOf(definitions, d.Parse(text))
}

// Text returns a model's text without its calls, for people. The blocks are those that Parse has found in the text. The
// marks of a code block that only has a call in it go with the call.
func Text(text string, blocks []Block) string {
	const space = " \t\r\n"
	out, at := "", 0
	for i := 0; i <= len(blocks); i++ {
		end, next := len(text), len(text)
		if i < len(blocks) {
			end, next = blocks[i].Start, blocks[i].End
		}
		piece := text[at:end]
		at = next
		left, right := strings.TrimRight(out, space), strings.TrimLeft(piece, space)
		if fence := lastLine(left); i > 0 && isFence(fence) && strings.HasPrefix(right, "```") &&
			isFence(firstLine(right)) {
			left = strings.TrimRight(left[:len(left)-len(fence)], space)
			right = strings.TrimLeft(right[len("```"):], space)
		}
		switch before, after := out[min(len(left), len(out)):], piece[:len(piece)-len(right)]; {
		case i == 0 || left == "":
			out = right
		case right == "":
			out = left
		case strings.Count(before, "\n") > 1 || strings.Count(after, "\n") > 1:
			out = left + "\n\n" + right
		case strings.Contains(before+after, "\n"):
			out = left + "\n" + right
		default:
			out = left + " " + right
		}
	}
	return strings.Trim(out, space)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// lastLine returns the last line of a text.
func lastLine(text string) string { return text[strings.LastIndexByte(text, '\n')+1:] }

// isFence reports whether a line begins or ends a block of code: three backquotes and perhaps a language.
func isFence(line string) bool {
	language, ok := strings.CutPrefix(strings.TrimSpace(line), "```")
	return ok && !strings.ContainsAny(language, "` \t")
}

// tooMany is the last block of a text with too many calls.
func tooMany(text string, start int) Block {
	b := Block{Start: start, End: len(text)}
	b.fail("there are more than %d calls in one answer. Those behind the first %[1]d have been left out", MaxBlocks)
	return b
}
