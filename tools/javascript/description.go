package javascript

import (
	_ "embed"
	"path"
	"strings"
	"text/template"

	sandbox "github.com/toolrun/toolrun/runtime"
	js "github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/coderun"
)

//go:embed description.md
var descriptionText string

var description = template.Must(template.New("description.md").Parse(descriptionText))

// facts are what the description depends on.
type facts struct {
	Languages         string
	DetectsTypeScript bool // it need not be said what code is written in
	TypeScript        bool // code is TypeScript
	Files, LoadLib    bool
	Lib               string  // the folder of the libraries
	Session, Rollback bool    // variables stay; what fails changes nothing
	Days              float64 // how long variables stay
	Seconds, Memory   float64 // the limits; memory in MiB
	Hosts, Secrets    string  // of the network; empty if there are none
}

// describe tells what code can do and how much, with the options and limits that are in force. Each of its sentences
// has a test.
func describe(offer tool.Offer) string {
	f := facts{
		Languages: "JavaScript",
		Files:     !offer.NoProject,
		LoadLib:   offer.Options.Bool(OptionLoadLib),
		Lib:       path.Join("/", offer.Options.Text(OptionLib)),
		Seconds:   offer.Mode.Timeout(sandbox.DefaultTime).Seconds(),
		Memory:    offer.Options.Number(OptionMemory),
		Session:   !offer.NoProject && offer.Options.Text(OptionSession) != "",
		Days:      offer.Options.Number(OptionSessionDays),
		Rollback:  offer.Options.Bool(OptionRollback),
		Hosts:     coderun.Hosts(offer.Network),
		Secrets:   coderun.Secrets(offer.Network, func(name string) string { return "process.env." + name }),
	}
	switch languages[offer.Options.Text(OptionLanguage)] {
	case js.LanguageAuto:
		f.Languages, f.DetectsTypeScript = "JavaScript or TypeScript", true
	case js.LanguageTypeScript:
		f.Languages, f.TypeScript = "TypeScript", true
	}
	var out strings.Builder
	if err := description.Execute(&out, f); err != nil { // the template is fixed
		panic(err)
	}
	return strings.TrimSpace(out.String()) + describeToolCalls(offer)
}
