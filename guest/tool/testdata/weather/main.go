// Command weather is a tool for tests. It can be compiled as a command and as a reactor.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/toolrun/toolrun/guest/tool"
)

type input struct {
	City string `json:"city,omitempty" jsonschema:"the city"`
	Days int    `json:"days" default:"2" minimum:"1" maximum:"14"`
}

type output struct {
	City    string   `json:"city"`
	Degrees []int    `json:"degrees"`
	Calls   int      `json:"calls"`
	Notes   []string `json:"notes,omitempty"`
}

var calls int

func init() {
	tool.Register(tool.Spec{
		Name: "weather", Description: "Tells the weather of a city.",
		Asks: tool.Asks{
			Files: "write", Folder: "/data", Env: []string{"UNIT"}, Tools: []string{"javascript", "memory"},
		},
	}, weather)
}

func main() { tool.Serve() }

func weather(ctx context.Context, in input) (output, error) {
	calls++ // is always one, as each call starts from the same memory
	out := output{City: in.City, Calls: calls}
	for day := range in.Days {
		out.Degrees = append(out.Degrees, 15+day)
	}
	switch in.City {
	case "nowhere":
		fmt.Fprintln(os.Stderr, "looked everywhere")
		return out, errors.New("there is no such city")
	case "panic":
		panic("on purpose")
	case "loop":
		for {
		}
	case "tools":
		for _, name := range []string{"javascript", "memory", "weather"} {
			result, err := tool.Call(ctx, name, map[string]any{
				"code": "return [6 * 7, await fs.readFile('/data/note.txt', 'utf8')]",
			})
			note := string(result)
			if err != nil {
				note = err.Error()
			}
			out.Notes = append(out.Notes, note)
		}
	case "files":
		note, err := os.ReadFile("/note.txt")
		if err != nil {
			return out, err
		}
		out.Notes = append(out.Notes, string(note), os.Getenv("UNIT"))
		if err := os.WriteFile("/written.txt", []byte("by the tool"), 0o644); err != nil {
			return out, err
		}
	}
	return out, nil
}
