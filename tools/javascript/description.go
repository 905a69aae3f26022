package javascript

import (
	_ "embed"
	"path"

	"github.com/toolrun/toolrun/internal/text/fill"
	js "github.com/toolrun/toolrun/runtime/javascript"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
)

//go:embed description.md
var descriptionText string

var description = fill.New(descriptionText)

// facts are what the description depends on.
type facts struct {
	code.Facts
	Languages         string
	DetectsTypeScript bool // it need not be said what code is written in
	TypeScript        bool // code is TypeScript
	LoadLib           bool
	Lib               string // the folder of the libraries
}

// describe tells what code can do and how much. Each of its sentences has a test.
func describe(offer tool.Offer, general code.Facts) string {
	f := facts{
		Facts: general, Languages: "JavaScript", LoadLib: offer.Options.Bool(OptionLoadLib),
		Lib: path.Join("/", offer.Options.Text(OptionLib)),
	}
	switch dialects[offer.Options.Text(OptionLanguage)] {
	case js.LanguageAuto:
		f.Languages, f.DetectsTypeScript = "JavaScript or TypeScript", true
	case js.LanguageTypeScript:
		f.Languages, f.TypeScript = "TypeScript", true
	}
	return description.Text(f)
}
