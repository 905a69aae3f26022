package memory

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/toolrun/toolrun/internal/text/filetext"
	"github.com/toolrun/toolrun/internal/text/lazyregexp"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/internal/textfile"
)

const (
	// maxIndex is how many characters of README.md are in the system prompt.
	maxIndex = 32_000
	// maxListed is how many files and directories are.
	maxListed = 500
)

const advice = `You have a persistent memory: the files under /memories, which stay from one conversation to the ` +
	`next and which you read and change with the memory tool. ` +
	`Changes to /memories/README.md show in this prompt on the next message. ` +
	`Record your progress, status and thoughts there as you work, since this conversation can end at any time, ` +
	`and use README.md as the index: keep it short, and have it say what is in the other files.`

// What the memory contains cannot end the block that it is shown in: what closes the block has &lt; in place of <, in
// whatever capitals. Everything else is byte for byte as it is in the memory.
var (
	listingEnd = lazyregexp.New(`(?i)<(/listing\s*>)`)
	contentEnd = lazyregexp.New(`(?i)<(/content\s*>)`)
)

const escaped = "&lt;${1}"

// SystemPrompt implements [tool.SystemPrompter]: it shows what the memory contains now.
func (memory) SystemPrompt(ctx context.Context, prompt tool.PromptContext) (string, error) {
	if prompt.Files == nil {
		return "", nil
	}
	t := treeOf(prompt.Files)
	var b strings.Builder
	b.WriteString("## Memory\n\n")
	if !prompt.Options.Bool(NoHandHolding) {
		b.WriteString(advice + "\n\n")
	}
	b.WriteString("### Files\n\n")
	entries, err := t.Entries(ctx, "/", listing)
	problem, expected := errors.AsType[*tool.ModelError](err)
	switch {
	case expected: // the memory cannot be used, but the conversation can go on without it
		b.WriteString("The /memories directory cannot be read. " + problem.Text)
		return b.String(), nil
	case err != nil:
		return "", err
	case len(entries) == 0:
		b.WriteString("The /memories directory is empty.")
	default:
		b.WriteString("Here are the files and directories up to 2 levels deep in /memories:\n\n<listing>\n")
		for i, e := range entries {
			if i == maxListed {
				fmt.Fprintf(&b, "[%d more. Use the memory tool's view command to see them.]\n", len(entries)-i)
				break
			}
			b.WriteString(strings.Repeat("\t", e.Depth-1) + listingEnd().ReplaceAllString(t.Shown(e.Name),
				escaped) + "\n")
		}
		b.WriteString("</listing>")
	}
	index, err := readIndex(t)
	b.WriteString(index)
	return b.String(), err
}

// readIndex returns the part of the prompt that shows README.md, or "" if there is none.
func readIndex(t textfile.Tree) (string, error) {
	const name = "/README.md"
	info, err := t.Stat(name)
	if err == nil && (info == nil || !info.Mode().IsRegular()) {
		return "", nil
	}
	var content []byte
	if err == nil {
		content, err = t.Read(name)
	}
	if problem, expected := errors.AsType[*tool.ModelError](err); expected {
		return "\n\n## /memories/README.md\n\n" + problem.Text, nil
	}
	if err != nil {
		return "", err
	}
	text, _, ok := filetext.Decode(content)
	if !ok {
		return "\n\n## /memories/README.md\n\nThe file is not text.", nil
	}
	shown, note := shorten(text)
	return "\n\n## /memories/README.md\n\n<content>\n" + contentEnd().ReplaceAllString(shown, escaped) +
		"\n</content>" + note, nil
}

// shorten leaves out the lines of a text that are beyond maxIndex. The note, which stands behind the text, says so.
func shorten(text []byte) (shown, note string) {
	if len(text) <= maxIndex || utf8.RuneCount(text) <= maxIndex {
		return strings.TrimSuffix(string(text), "\n"), ""
	}
	total := bytes.Count(text, []byte("\n"))
	if text[len(text)-1] != '\n' {
		total++
	}
	var b strings.Builder
	lines, characters := 0, 0
	for line := range bytes.Lines(text) {
		if characters += utf8.RuneCount(line); characters > maxIndex {
			break
		}
		lines++
		b.Write(line)
	}
	note = fmt.Sprintf("\n\n[Content truncated: showing lines 1-%d of %d total. "+
		"Use the memory tool's view command with view_range to see more.]", lines, total)
	return strings.TrimSuffix(b.String(), "\n"), note
}
