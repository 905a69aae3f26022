package xmlcall

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/tool"
)

// resultTag is the name of the tag that a result is in, and resultEnd what it ends with.
const (
	resultTag = "tool_result"
	resultEnd = "</" + resultTag + ">"
)

// Results writes results, in the order of their calls, for the next message to the model:
//
//	<tool_result call="1" tool="read_files">
//	...
//	</tool_result>
//
// A failure has status="error". Tags of this format in a text are escaped, and so is everything that a model could
// take for one, in upper or lower case: no tool can end its result or forge another one (it can only claim things
// in other words). Images and other binaries without a text are only mentioned. Without results it returns "".
func Results(results []tool.Result) string {
	var b strings.Builder
	for i, r := range results {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, `<%s call="%d"`, resultTag, i+1)
		if r.Tool != "" {
			fmt.Fprintf(&b, ` tool="%s"`, attribute(r.Tool))
		}
		if r.IsError() {
			b.WriteString(` status="error"`)
		}
		fmt.Fprintf(&b, ">\n%s\n%s", escape(withBinaries(r).Text()), resultEnd)
	}
	return b.String()
}

// withBinaries mentions what cannot be shown.
func withBinaries(r tool.Result) tool.Result {
	content := make([]tool.Part, len(r.Content))
	for i, p := range r.Content {
		if p.Data != nil {
			what := fmt.Sprintf("[%s, %d bytes, cannot be shown here]", p.MIME, len(p.Data))
			p.Text = cmp.Or(plaintext.WithoutDataURLs(p.Text, what), what)
		}
		content[i] = p
	}
	r.Content = content
	return r
}

var attributeEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;",
	`"`, "&quot;", "\n", "&#10;", "\r", "&#13;")

// attribute escapes the value of an attribute, and cuts what is too long for a tool's name.
func attribute(s string) string { return attributeEscapes.Replace(short(s)) }
