package textfile

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/toolrun/toolrun/tool"
)

// maxTogether is how many bytes ViewAll shows, all paths together.
const maxTogether = MaxSize

// ViewAll shows several files and directories, one after the other. An image is a part of its own; everything else is
// one text, with a blank line between paths. clean checks paths as the model writes them.
func (t Tree) ViewAll(ctx context.Context, paths []string, listing Listing,
	clean func(string) (string, error)) (tool.Result, error) {
	var parts []tool.Part
	var text strings.Builder
	failures, size := 0, 0
	for i, given := range paths {
		if i > 0 {
			if text.Len() > 0 {
				text.WriteByte('\n') // of the line before; a new part begins on a line of its own
			}
			text.WriteByte('\n')
		}
		shown, view, err := t.viewOne(ctx, given, size, listing, clean)
		if problem, ok := errors.AsType[*tool.ModelError](err); ok {
			failures++
			text.WriteString("=== " + shown + " [ERROR] ===\n" + problem.Text)
			continue
		}
		if err != nil {
			return tool.Result{}, err
		}
		size += len(view.text) + len(view.data)
		text.WriteString("=== " + shown + " ===")
		if view.data != nil {
			parts = append(parts, tool.Part{Text: text.String()}, view.part())
			text.Reset()
			continue
		}
		text.WriteString("\n" + view.text)
	}
	if text.Len() > 0 {
		parts = append(parts, tool.Part{Text: text.String()})
	}
	result := tool.Result{Content: parts, Status: viewed(len(paths), failures)}
	if failures == len(paths) {
		result.Code = tool.CodeTool
	}
	return result, nil
}

func (t Tree) viewOne(ctx context.Context, given string, before int, listing Listing, clean func(string) (string,
	error)) (shown string, view view, err error) {
	name, err := clean(given)
	if err != nil {
		return printable(Cut(given, 200)), view, err
	}
	shown = t.Shown(name)
	if before >= maxTogether {
		return shown, view, tool.Errorf("Error: The paths before have %d bytes together, "+
			"which is too much for more. View this one in another call.", before)
	}
	view, err = t.view(ctx, name, nil, listing)
	return shown, view, err
}

// viewed is the status of ViewAll.
func viewed(paths, failures int) string {
	if failures == 0 {
		return fmt.Sprintf("Viewed %d paths", paths)
	}
	return fmt.Sprintf("Viewed %d of %d paths", paths-failures, paths)
}

// printable keeps a refused path from looking like anything else.
func printable(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return utf8.RuneError
		}
		return c
	}, name)
}
