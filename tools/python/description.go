package python

import (
	_ "embed"
	"strings"
	"text/template"

	"github.com/toolrun/toolrun/registry"
	sandbox "github.com/toolrun/toolrun/runtime"
)

//go:embed description.md
var descriptionText string

var description = template.Must(template.New("description.md").Parse(descriptionText))

// facts are what the description depends on.
type facts struct {
	Files           bool
	Seconds, Memory float64 // the limits; memory in MiB
}

// describe tells what code can do and how much, with the options and limits that are in force. Each of its sentences
// has a test.
func describe(offer registry.Offer) string {
	var out strings.Builder
	err := description.Execute(&out, facts{
		Files:   !offer.NoProject,
		Seconds: sandbox.DefaultTime.Seconds(),
		Memory:  offer.Options.Number(OptionMemory),
	})
	if err != nil { // the template is fixed
		panic(err)
	}
	return strings.TrimSpace(out.String()) + describeToolCalls(offer)
}
