package textfile

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/internal/text/filetext"
	"github.com/toolrun/toolrun/internal/text/filetype"
	"github.com/toolrun/toolrun/internal/text/media"
	"github.com/toolrun/toolrun/tool"
)

// maxLines is how many lines a viewable file may have: as many as the width of line numbers allows.
const maxLines = 999_999

// A view is what a model sees of a file or directory.
type view struct {
	text string
	// data is an image of a type that providers accept, or nil, and mime its type. text replaces it where it cannot
	// be sent.
	data []byte
	mime string
	// file is the viewed file, or empty for a directory.
	file string
}

// view shows a file or a directory. lines is empty, or the first and the last line to show; -1 is the end.
func (t Tree) view(ctx context.Context, name string, lines []json.Number, listing Listing) (view, error) {
	if err := ctx.Err(); err != nil {
		return view{}, err
	}
	info, err := t.Stat(name)
	switch {
	case err != nil:
		return view{}, err
	case info == nil:
		return view{}, tool.Errorf("The path %s does not exist. Please provide a valid path.", t.Shown(name))
	case info.IsDir():
		text, err := t.list(ctx, name, listing)
		return view{text: text}, err
	}
	return t.viewFile(name, lines)
}

func (t Tree) viewFile(name string, lines []json.Number) (view, error) {
	content, err := t.Read(name)
	if err != nil {
		return view{}, err
	}
	shown := t.Shown(name)
	text, form, ok := filetext.Decode(content)
	if !ok {
		mime := filetype.MIME(content)
		v := view{text: dataURL("Binary file "+shown+" ("+mime+"):", mime, content), file: shown}
		if media.IsCarried(content, mime) {
			v.data, v.mime = content, mime
		}
		return v, nil
	}
	total := countLines(text)
	if total > maxLines {
		return view{}, tool.Errorf("File %s exceeds maximum line limit of %d lines.", shown, maxLines)
	}
	first, last := 1, total
	if len(lines) > 0 {
		if first, last, err = lineRange(shown, lines, total); err != nil {
			return view{}, err
		}
	}
	notes := ""
	if last > total {
		last = total
		notes = fmt.Sprintf("\n[The file ends here: it has %d lines.]", total)
		if total == 1 {
			notes = "\n[The file ends here: it has 1 line.]"
		}
	}
	if note := form.Note(); note != "" {
		notes += "\n[" + note + "]"
	}
	text = between(text, first, last, total)
	header := "Here's the content of " + shown + " with line numbers:"
	var b strings.Builder
	b.Grow(len(header) + 1 + numberedSize(text, last-first+1) + len(notes))
	b.WriteString(header)
	if len(text) > 0 {
		b.WriteByte('\n')
		writeNumbered(&b, text, first)
	}
	b.WriteString(notes)
	return view{text: b.String(), file: shown}, nil
}

// between returns lines of a text that has so many.
func between(text []byte, first, last, total int) []byte {
	text = text[afterLine(text, first-1):]
	if last < total {
		text = text[:afterLine(text, last-first+1)]
	}
	return text
}

// lineRange checks which lines are to be shown. The last one can be beyond the end.
func lineRange(shown string, lines []json.Number, total int) (first, last int, err error) {
	texts := make([]string, len(lines))
	for i, n := range lines {
		texts[i] = n.String()
	}
	given := "[" + strings.Join(texts, ", ") + "]"
	if total == 0 {
		return 0, 0, tool.Errorf("Error: Invalid `view_range` parameter: %s. The file %s is empty.", given, shown)
	}
	ok := len(lines) == 2
	if ok {
		first, ok = whole(lines[0])
	}
	if ok {
		last, ok = whole(lines[1])
	}
	if ok && last == -1 {
		last = total
	}
	if !ok || first < 1 || last < first || first > total {
		return 0, 0, tool.Errorf("Error: Invalid `view_range` parameter: "+
			"%s. It should be [first line, last line] within the range of lines of the file: "+
			"[1, %d]. A last line of -1 means the end of the file.", given, total)
	}
	return first, last, nil
}
