package textfile

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/toolrun/toolrun/internal/text/filetext"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
)

// Create creates a file with a text, and its parent directories. A text that is a data URL in base64 is decoded
// first. Create returns the text for the model.
func (t Tree) Create(ctx context.Context, name, text string, overwrite bool) (string, error) {
	if name == "/" {
		return "", tool.Errorf("Error: Cannot create a file at the root path.")
	}
	shown := t.Shown(name)
	content, binary, err := decode(shown, text)
	if err != nil {
		return "", err
	}
	err = t.exclusively(ctx, func(t Tree) error {
		info, err := t.Stat(name)
		switch {
		case err != nil:
			return err
		case info != nil && info.IsDir():
			return tool.Errorf("Error: The path %s is a directory, not a file.", shown)
		case info != nil && !overwrite:
			return tool.Errorf("Error: File %s already exists. Set overwrite to true to replace.", shown)
		}
		return t.write(ctx, name, content)
	})
	switch {
	case err != nil:
		return "", err
	case binary:
		return "Binary file created successfully at: " + shown, nil
	}
	return "File created successfully at: " + shown, nil
}

// write replaces a file, or creates it and its parent directories.
func (t Tree) write(ctx context.Context, name string, content []byte) error {
	return t.Explain(name, vfs.WriteFile(ctx, t.Files, name, content))
}

// writeText replaces a file of this form by another text.
func (t Tree) writeText(ctx context.Context, name string, text []byte, form filetext.Form) error {
	content, err := form.Encode(text)
	if missing, ok := errors.AsType[*filetext.CharacterError](err); ok {
		return because(err, "Error: The character %c (U+%04X) cannot be written to %s, which is %s text. "+
			"Leave it out, or make the file anew as UTF-8, with create and overwrite true.",
			missing.Character, missing.Character, t.Shown(name), missing.Encoding)
	}
	return t.write(ctx, name, content)
}

// ErrUnchanged is what a change of [Tree.Edit] returns that leaves the file as it is.
var ErrUnchanged = errors.New("unchanged")

// Edit changes the text of a file, while nobody else changes anything. The lines of text may end in any way. command is
// the model's word for it, and missing the error if there is no such file.
func (t Tree) Edit(ctx context.Context, command, name, missing string, change func(text []byte) ([]byte, error)) error {
	shown := t.Shown(name)
	if name == "/" {
		return tool.Errorf("Error: The path %s is a directory, not a file.", shown)
	}
	return t.exclusively(ctx, func(t Tree) error {
		info, err := t.Stat(name)
		switch {
		case err != nil:
			return err
		case info == nil || info.IsDir():
			return tool.Errorf("%s", missing)
		}
		content, err := t.Read(name)
		if err != nil {
			return err
		}
		text, form, ok := filetext.Decode(content)
		if !ok {
			if command == "str_replace" || command == "insert" {
				return tool.Errorf("Error: Cannot use %s on binary file %s. "+
					"Use create command with dataUrl to overwrite.", command, shown)
			}
			return tool.Errorf("Error: Cannot use %s on binary file %s.", command, shown)
		}
		switch text, err = change(text); {
		case err == ErrUnchanged:
			return nil
		case err != nil:
			return err
		}
		return t.writeText(ctx, name, text, form)
	})
}

// A Replacement says what to replace in a file.
type Replacement struct {
	Old, New string
	// All replaces Old wherever it is. Otherwise the file must contain it exactly once.
	All bool
	// Name is the tool's name for Old, and Missing the error if there is no such file.
	Name, Missing string
}

// Replace replaces a text in a file. Line ends count as the same, however they are written, and those of the
// replacement become the file's. It returns the lines around the replacement, or how many there were with All.
func (t Tree) Replace(ctx context.Context, name string, r Replacement) (lines string, err error) {
	shown, command := t.Shown(name), "str_replace"
	if r.Name != "old_str" {
		command = "edit"
	}
	err = t.Edit(ctx, command, name, r.Missing, func(text []byte) ([]byte, error) {
		if r.All {
			plain, old := filetext.Plain(text), filetext.Plain([]byte(r.Old))
			replacement := filetext.Plain([]byte(r.New))
			if n := bytes.Count(plain, old); n > 0 {
				// A small text for many smaller ones could make one that no memory holds.
				if grown := int64(n) * int64(len(replacement)-len(old)); int64(len(plain))+grown > MaxSize {
					return nil, tool.Errorf("No replacement was performed: with %d replacements, %s would have "+
						"more than the %d bytes that a file can have.", n, shown, int64(MaxSize))
				}
				lines = fmt.Sprintf("%d replacements", n)
				if n == 1 {
					lines = "1 replacement"
				}
				return filetext.Keep(text, bytes.ReplaceAll(plain, old, replacement)), nil
			}
		}
		m := locate(text, []byte(r.Old), []byte(r.New))
		switch {
		case m.lines != "":
			return nil, tool.Errorf("No replacement was performed. "+
				"Multiple occurrences of %s `%s` in lines: %s. Please ensure it is unique",
				r.Name, Cut(r.Old, maxEcho), m.lines)
		case m.from < 0:
			return nil, tool.Errorf("No replacement was performed, %s `%s` did not appear verbatim in %s.%s",
				r.Name, Cut(r.Old, maxEcho), shown,
				ExplainMiss(filetext.Plain(text), filetext.Plain([]byte(r.Old)), r.Name))
		}
		edited := slices.Concat(text[:m.from], m.replacement, text[m.to:])
		lines = snippet(edited, m.from, m.from+len(m.replacement))
		return edited, nil
	})
	return lines, err
}

// maxEcho is how many bytes of a text that has not been found are repeated to the model, which knows it.
const maxEcho = 2000

// Insert inserts lines after the line of this number, or at the top if it is 0. Nil is no text, which changes nothing.
// missing is the error if the file does not exist. Insert returns the text for the model.
func (t Tree) Insert(ctx context.Context, name string, line json.Number, insert *string,
	missing string) (string, error) {
	done := fmt.Sprintf("The file %s has been edited.", t.Shown(name))
	if insert == nil {
		done += " (Nothing was inserted, since no text was given.)"
	}
	return done, t.Edit(ctx, "insert", name, missing, func(text []byte) ([]byte, error) {
		total := countLines(text)
		n, ok := whole(line)
		if !ok || n < 0 || n > total {
			return nil, tool.Errorf("Error: Invalid `insert_line` parameter: "+
				"%s. It should be within the range of lines of the file: [0, %d]", line, total)
		}
		if insert == nil {
			return nil, ErrUnchanged
		}
		return insertAfter(text, n, *insert), nil
	})
}

// insertAfter inserts whole lines, which end as those around them do: it adds line ends in front of and behind what is
// inserted where they are missing. At the end of a text that does not end with one it adds none behind.
func insertAfter(text []byte, line int, insert string) []byte {
	at := afterLine(text, line)
	if mark := "\ufeff"; line == 0 && bytes.HasPrefix(text, []byte(mark)) {
		at = len(mark) // it stays in front of everything
	}
	before, after := text[:at], text[at:]
	ending := filetext.EndingAt(text, at)
	added := filetext.WithEnding([]byte(insert), ending)
	if ending == nil {
		if ending = filetext.EndingAt(added, 0); ending == nil {
			ending = newline
		}
	}
	edited := make([]byte, 0, len(text)+len(added)+2*len(ending))
	edited = append(edited, before...)
	unended := line > 0 && before[len(before)-1] != '\n'
	if unended {
		edited = append(edited, ending...)
	}
	edited = append(edited, added...)
	if !bytes.HasSuffix(added, newline) && !unended {
		edited = append(edited, ending...)
	}
	return append(edited, after...)
}
