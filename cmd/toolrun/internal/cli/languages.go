package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/toolrun/toolrun"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
)

// languages are those that the command knows. The first one is what it runs if nobody says another.
var languages = toolrun.DefaultLanguages()

// languageOf returns the language of a tool, or nil if it has none.
func languageOf(tool string) *code.Language {
	for i := range languages {
		if languages[i].Name == tool {
			return &languages[i]
		}
	}
	return nil
}

// languageOfModule returns the language whose interpreter is a module, or nil if there is none.
func languageOfModule(name string) *code.Language {
	for i := range languages {
		if languages[i].Module == name && name != "" {
			return &languages[i]
		}
	}
	return nil
}

func languageNames() (names []string) {
	for _, l := range languages {
		names = append(names, l.Name)
	}
	return names
}

// given returns the languages with the builds that the environment names, such as TOOLRUN_PYTHON, instead of those that
// were added.
func (h *Host) languages() []code.Language {
	var given []code.Language
	for _, l := range languages {
		variable := "TOOLRUN_" + strings.ToUpper(l.Module)
		if file := h.getenv(variable); l.Module != "" && file != "" {
			if module, err := h.open(file); err == nil { // otherwise Build says what is wrong
				l.Packages = script.Packages(module)
				_ = module.Close()
			}
			l.Build = func() (script.Module, error) {
				data, err := h.readFile(file)
				if err != nil {
					return script.Module{}, fmt.Errorf("%s: %w", variable, err)
				}
				return script.FromBytes(data), nil
			}
		}
		given = append(given, l)
	}
	return given
}

// newReport takes a result of code in any language apart.
func newReport(result tool.Result) (code.Report, bool) {
	if l := languageOf(result.Tool); l != nil {
		return l.Report(result)
	}
	return code.Report{}, false
}

// askLimits are the limits of code that the prompt itself runs, without files.
var askLimits = sandbox.Limits{Time: 2 * time.Second}

func (s *session) language() *code.Language { return languageOf(s.lang) }

// ask returns the value of code of the prompt itself, or nil if it fails.
func (s *session) ask(ctx context.Context) code.Ask {
	return func(text, input string) any {
		interpreter, err := s.runner.start(ctx, s.lang)
		if err != nil {
			return nil // running the entry tells why
		}
		result, err := interpreter.Run(ctx, text, &code.Run{Limits: askLimits, Stdin: strings.NewReader(input)})
		if err != nil {
			return nil
		}
		return result.Value
	}
}

// namesIn reads the value of code that gives globals. It is empty if they cannot be found out.
func namesIn(value any) map[string][]string {
	all := map[string][]string{}
	if lines, ok := value.(string); ok {
		all[""] = strings.Fields(lines)
	}
	names, _ := value.(map[string]any)
	for of, list := range names {
		list, _ := list.([]any)
		for _, name := range list {
			if name, ok := name.(string); ok {
				all[of] = append(all[of], name)
			}
		}
	}
	return all
}
