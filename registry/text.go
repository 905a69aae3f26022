package registry

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/tool"
)

// printable replaces control characters and invalid UTF-8, so that the text of a model or a client can be shown.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return utf8.RuneError
		}
		return r
	}, strings.ToValidUTF8(text, "\uFFFD"))
}

// shortened returns a resource with a kind and a name of reasonable length, without line breaks.
func shortened(r *tool.Resource) *tool.Resource {
	const most = 4096
	if len(r.Kind) <= most && len(r.Name) <= most && printable(r.Kind+r.Name) == r.Kind+r.Name {
		return r
	}
	return &tool.Resource{Kind: printable(plaintext.Cut(r.Kind, most)), Name: printable(plaintext.Cut(r.Name, most)),
		Key: r.Key}
}
