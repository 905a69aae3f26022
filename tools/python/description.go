package python

import (
	_ "embed"
	"fmt"
	"strings"
	"text/template"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/coderun"
)

//go:embed description.md
var descriptionText string

var description = template.Must(template.New("description.md").Parse(descriptionText))

// facts are what the description depends on.
type facts struct {
	Files             bool
	Session, Rollback bool    // variables stay; what fails changes nothing
	Days              float64 // how long variables stay
	Seconds, Memory   float64 // the limits; memory in MiB
	Hosts, Secrets    string  // of the network; empty if there are none
}

// describe tells what code can do and how much, with the options and limits that are in force. Each of its sentences
// has a test.
func describe(offer tool.Offer) string {
	var out strings.Builder
	err := description.Execute(&out, facts{
		Files:    !offer.NoProject,
		Session:  !offer.NoProject && offer.Options.Text(coderun.OptionSession) != "",
		Rollback: offer.Options.Bool(coderun.OptionRollback),
		Days:     offer.Options.Number(coderun.OptionSessionDays),
		Seconds:  offer.Mode.Timeout(sandbox.DefaultTime).Seconds(),
		Memory:   offer.Options.Number(OptionMemory),
		Hosts:    coderun.Hosts(offer.Network),
		Secrets: coderun.Secrets(offer.Network, func(name string) string {
			return fmt.Sprintf("os.environ[%q]", name)
		}),
	})
	if err != nil { // the template is fixed
		panic(err)
	}
	return strings.TrimSpace(out.String()) + describeToolCalls(offer)
}
