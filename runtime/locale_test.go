package runtime_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
)

func TestIgnoredLocales(t *testing.T) {
	for name, test := range map[string]struct {
		script, want string
		warnings     []string
	}{
		"of a number":               {`return (1234.5).toLocaleString('de-DE')`, "1234.5", []string{"toLocaleString"}},
		"options of a number":       {`return (1234.5).toLocaleString(undefined, {style: 'currency', currency: 'EUR'})`, "1234.5", []string{"toLocaleString"}},
		"of a date":                 {`const d = new Date(0); return d.toLocaleDateString('en-US', {weekday: 'long'}) + d.toLocaleTimeString('en-US')`, "01/01/197012:00:00 AM", []string{"toLocaleDateString", "toLocaleTimeString"}},
		"of a comparison":           {`return ['10', '9'].sort((a, b) => a.localeCompare(b, undefined, {numeric: true})).join()`, "10,9", []string{"localeCompare"}},
		"once":                      {`for (let i = 0; i < 9; i++) (1).toLocaleString('en'); return 1n.toLocaleString('en')`, "1", []string{"toLocaleString"}},
		"without there is no word":  {`return ['b', 'a'].sort((a, b) => a.localeCompare(b)).join() + (5).toLocaleString() + (6).toLocaleString(undefined)`, "a,b56", nil},
		"they are like the engines": {`try { Number.prototype.toLocaleString.call({}) } catch (e) { return e.name + Number.prototype.toLocaleString.name + Object.keys(Number.prototype).length }`, "TypeErrortoLocaleString0", nil},
	} {
		t.Run(name, func(t *testing.T) {
			result := run(t, test.script)
			require.Equal(t, test.want, result.Text)
			var want []sandbox.Entry
			for _, method := range test.warnings {
				want = append(want, sandbox.Entry{Level: sandbox.LevelWarn, Text: method + " ignores locales and options here, as there is no Intl"})
			}
			require.Equal(t, want, result.Console)
		})
	}
}
