package module_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/js/module"
)

// TestWithoutAttributes marks the text to be blanked with « and ».
func TestWithoutAttributes(t *testing.T) {
	marked := regexp.MustCompile(`«[^»]*»`)
	unmark := strings.NewReplacer("«", "", "»", "")
	for _, test := range []string{
		"import d from './d.json' «with {type: 'json'}»; f()",
		"import './d.json' «with { type: 'json' }»\nf()",
		"import d from './d.json' «with {\n  type: 'json',\n}»;",
		"export {a} from './d.json' «with {type: 'json'}»",
		"export * from './d.json' «assert {type: 'json'}»",
		"await import('./d.json'«, {with: {type: 'json'}}»)",
		"await import(f(a, {with: 1})«, {with: {type: 'json'}}»)",
		"import(import('x'«, {with: {}}»).y«, {with: {type: (1, {a: 1})}}»)",
		"g(import('x'), {with: {type: 'json'}})",
		"import(`with ${a, {import: 1}}`«, {with: {}}»)",
		"with (a) {b} export {c} from 'x' «with {c}»",
		"'x' with {type: 1} import",
		"import x from 'y'; const s = ` with {import} `; with (x) { }",
		"import('x', {with",
		"import('x', with)",
		"import('x'«, {with: {}}»",
	} {
		want := marked.ReplaceAllStringFunc(test, func(part string) string {
			return regexp.MustCompile(`[^\n]`).ReplaceAllString(unmark.Replace(part), " ")
		})
		require.Equal(t, want, module.WithoutAttributes(unmark.Replace(test)))
	}
}
