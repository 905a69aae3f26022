package fill_test

import (
	htmltemplate "html/template"
	"strings"
	"testing"
	"text/template"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/text/fill"
)

type inner struct{ Files bool }

type item struct {
	Name string
	Here bool
}

type data struct {
	inner
	Name  string
	Days  float64
	On    bool
	Items []*item
}

// Each text means what it means to the standard library.
func TestText(t *testing.T) {
	for _, text := range []string{
		"", "plain } {", "{{.Name}}", "a{{.Days}}b{{.Name}}", "a \n {{- .Name}} b",
		"{{if .On}}on{{end}}", "{{if not .On}}off{{else}}on{{end}}", "{{if .Name}}{{.Name}}{{else}}nobody{{end}}",
		"{{if and .On .Files}}both{{else if .On}}on{{else if .Files}}files{{else}}none{{end}}.",
		"x\n{{- if .On}} {{if .Files}}1{{else}}2{{end}}\n{{- else}}3{{end}}\ny",
		"{{range .Items}}<{{.Name}}{{if .Here}} here{{end}}>{{end}}.",
	} {
		want, html := template.Must(template.New("").Parse(text)), htmltemplate.Must(htmltemplate.New("").Parse(text))
		filled := fill.New(text)
		for i := range 32 {
			d := data{inner: inner{i&1 != 0}, On: i&2 != 0}
			if i&4 != 0 {
				d.Name = `it's <b> & "c"`
			}
			if i&8 != 0 {
				d.Days = 2.5
			}
			if i&16 != 0 {
				d.Items = []*item{{"a", false}, {"b", true}}
			}
			var b strings.Builder
			require.NoError(t, want.Execute(&b, d))
			require.Equal(t, b.String(), filled.Text(d), "%q with %+v", text, d)
			b.Reset()
			require.NoError(t, html.Execute(&b, d))
			if !strings.Contains(text, "<{{") {
				require.Equal(t, b.String(), filled.HTML(&d), "%q with %+v", text, d)
			}
		}
	}
}

func TestHTML(t *testing.T) {
	page := fill.New(`<a title="{{.Title}}">{{.Title}}</a>{{.Body}}`)
	require.Equal(t, `<a title="&#34;&gt;&lt;script&gt;">&#34;&gt;&lt;script&gt;</a><p>`, page.HTML(struct {
		Title string
		Body  fill.HTML
	}{`"><script>`, "<p>"}))
}

func TestWrongTexts(t *testing.T) {
	for _, text := range []string{"{{if .A}}", "{{if .A}}x{{else}}", "{{range .A}}{{if .B}}{{end}}", "{{end}}",
		"{{else}}"} {
		require.Panics(t, func() { fill.New(text).Text(data{}) }, text)
	}
	require.PanicsWithValue(t, "fill: struct {} has no field .Name",
		func() { fill.New("{{.Name}}").Text(struct{}{}) })
}

// TestTheSameTextAgain fills in the same values several times, and others between.
func TestTheSameTextAgain(t *testing.T) {
	filled := fill.New(strings.Repeat("{{if .On}}on{{else}}{{.Days}}{{end}}", 100))
	type facts struct {
		On   bool
		Days float64
	}
	for range 2 {
		require.Equal(t, strings.Repeat("on", 100), filled.Text(facts{On: true}))
		require.Equal(t, strings.Repeat("2.5", 100), filled.Text(facts{Days: 2.5}))
	}
	require.LessOrEqual(t, testing.AllocsPerRun(100, func() { filled.Text(facts{Days: 2.5}) }), 1.0)
}
