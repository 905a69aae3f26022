package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tools/javascript"
)

// printText prints the text of a result. Where there are colours, the console stands apart from what the code has
// returned, and errors are red.
func printText(w io.Writer, result registry.Result, text string) error {
	if !terminal.Colours(w) {
		_, err := io.WriteString(w, text)
		return err
	}
	if result.Tool == javascript.Name {
		var err error
		if text, err = printConsole(w, result, text); err != nil {
			return err
		}
	}
	style := terminal.Plain
	if result.IsError() {
		style = terminal.Red
	}
	return terminal.Print(w, style, text)
}

// printConsole prints the console, which the text of a result of javascript begins with, and returns the rest. What
// code prints can look like any part of the text, so it is the data that says where the console ends.
func printConsole(w io.Writer, result registry.Result, text string) (rest string, err error) {
	data, _ := result.Data.(json.RawMessage)
	var output struct {
		Console []struct{ Level, Text, Library string }
	}
	if json.Unmarshal(data, &output) != nil {
		return text, nil
	}
	rest = text
	heading := func(of string) {
		if after, ok := strings.CutPrefix(rest, "=== "+of+" ===\n"); ok && err == nil {
			err = terminal.Print(w, terminal.Bold, rest[:len(rest)-len(after)])
			rest = after
		}
	}
	library := ""
	for i, entry := range output.Console {
		if i == 0 || entry.Library != library {
			library = entry.Library
			if library == "" {
				heading("Console output")
			} else {
				heading("Output of library " + library)
			}
		}
		after, ok := strings.CutPrefix(rest, fmt.Sprintf("[%s] %s\n", entry.Level, entry.Text))
		if !ok || err != nil {
			return rest, err
		}
		style := terminal.Dim
		switch entry.Level {
		case "WARN":
			style = terminal.Yellow
		case "ERROR":
			style = terminal.Red
		}
		err = terminal.Print(w, style, "["+entry.Level+"] ")
		if err == nil {
			_, err = io.WriteString(w, entry.Text+"\n")
		}
		rest = after
	}
	if len(output.Console) > 0 {
		heading("Result")
	}
	return rest, err
}
