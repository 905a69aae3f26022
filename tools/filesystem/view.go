package filesystem

import (
	"context"
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tools/internal/textfile"
)

var listing = textfile.Listing{DirectoriesFirst: true}

// maxTogether is how many bytes view-all shows, all paths together.
const maxTogether = textfile.MaxSize

// viewAll shows what view shows, one path after the other. An image is a part of its own; everything else is one text,
// with a blank line between paths.
func (t tree) viewAll(ctx context.Context, paths []string) (registry.Result, error) {
	var parts []registry.Part
	var text strings.Builder
	failures, size := 0, 0
	for i, given := range paths {
		if i > 0 {
			if text.Len() > 0 {
				text.WriteByte('\n') // of the line before; a new part begins on a line of its own
			}
			text.WriteByte('\n')
		}
		shown, view, err := t.viewOne(ctx, given, size)
		if problem, ok := errors.AsType[*registry.ModelError](err); ok {
			failures++
			text.WriteString("=== " + shown + " [ERROR] ===\n" + problem.Text)
			continue
		}
		if err != nil {
			return registry.Result{}, err
		}
		size += len(view.Text) + len(view.Data)
		text.WriteString("=== " + shown + " ===")
		if view.Data != nil {
			parts = append(parts, registry.Part{Text: text.String()}, view.Part())
			text.Reset()
			continue
		}
		text.WriteString("\n" + view.Text)
	}
	if text.Len() > 0 {
		parts = append(parts, registry.Part{Text: text.String()})
	}
	result := registry.Result{Content: parts, Status: viewed(len(paths), failures)}
	if failures == len(paths) {
		result.Code = registry.CodeTool
	}
	return result, nil
}

func (t tree) viewOne(ctx context.Context, given string, before int) (shown string, view textfile.View, err error) {
	name, err := textfile.Clean(given)
	if err != nil {
		return printable(textfile.Cut(given, 200)), view, err
	}
	if before >= maxTogether {
		return name, view, registry.Errorf("Error: The paths before have %d bytes together, which is too much for more. View this one in another call.", before)
	}
	view, err = t.View(ctx, name, nil, listing)
	return name, view, err
}

// printable keeps a path that is none from looking like more than that.
func printable(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return utf8.RuneError
		}
		return c
	}, name)
}
