package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"io"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolrun/toolrun/guest/shell/internal/commands"
	"github.com/toolrun/toolrun/guest/shell/internal/shell"
)

func main() {}

//go:embed tool.json
var manifest []byte

// input is a call of the tool.
type input struct {
	Command string   `json:"command"`
	Args    []string `json:"args"`
	Stdin   string   `json:"stdin"`
	// Separate wants standard output and error as those of the program, as they come, and the script's exit status as
	// that of the call. Otherwise both are the output, in their order, and the status is at its end if it is not 0.
	Separate bool `json:"separate"`

	// Name is $0. Empty means bash.
	Name string `json:"name"`
	// Env is more of the environment, each entry of the form NAME=value.
	Env []string `json:"env"`
	// Libraries are folders whose files *.sh are read before the script.
	Libraries []string `json:"libraries"`
	// Memory is how many bytes of memory the run may have. Zero means 64 MiB.
	Memory int64 `json:"memory"`
	// Check wants to know whether standard input is a script: the status is 0 if it is, 1 if nothing but its end is
	// missing, and otherwise 2. Nothing is run.
	Check bool `json:"check"`
	// Ask are commands that the host must approve each time before they run: see shell.Shell.Ask.
	Ask []string `json:"ask"`
}

// session is the shell, which is ready before the first call.
var session = shell.New(shell.Options{Table: commands.Table, NoModes: true, Outside: outside{}})

func init() {
	_ = os.Unsetenv("GOTRACEBACK") // which is for this program, not for scripts
	// A run is short, and its memory is bounded anyway: collecting less often makes it faster. What is near the limit
	// is collected as often as it takes.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(40 << 20)
	// What a script uses for the first time is in the memory from which calls start.
	session.Warm()
	// So is what reading a call uses.
	_ = json.Unmarshal([]byte(`{"command":"","args":[""]}`), new(input))
}

// spare is the memory that the program needs beside what is collected: a part of it is lost between blocks.
const spare = 24 << 20

// call does the call whose JSON standard input has, which the script's own input follows: it runs a script, whose
// output is the tool's.
//
//go:wasmexport toolrun_call
func call() int32 {
	var in input
	decoder := json.NewDecoder(os.Stdin)
	if err := decoder.Decode(&in); err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		return 2
	}
	stdin := io.MultiReader(strings.NewReader(in.Stdin), decoder.Buffered(), os.Stdin)
	if in.Check {
		return check(stdin)
	}
	if in.Memory > 0 {
		debug.SetMemoryLimit(max(in.Memory/2, in.Memory-spare))
	}
	session.Name(in.Name)
	session.Ask(in.Ask)
	session.Begin(append(os.Environ(), in.Env...))
	if in.Separate {
		streams := shell.Streams{Stdin: stdin, Stdout: os.Stdout, Stderr: os.Stderr}
		for _, dir := range in.Libraries {
			session.Libraries(dir, streams)
		}
		return int32(session.Run(context.Background(), in.Command, in.Args, streams))
	}
	var output bytes.Buffer
	status := session.Run(context.Background(), in.Command, in.Args, shell.Streams{
		Stdin: stdin, Stdout: &output, Stderr: &output,
	})
	if status != 0 {
		output.WriteString("[exit status " + strconv.Itoa(status) + "]\n")
	}
	_, _ = os.Stdout.Write(output.Bytes())
	return 0
}

// check is for input.Check.
func check(stdin io.Reader) int32 {
	_, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(stdin, "")
	switch {
	case syntax.IsIncomplete(err):
		return 1
	case err != nil:
		return 2
	}
	return 0
}

//go:wasmexport toolrun_describe
func describe() int32 {
	_, _ = os.Stdout.Write(manifest)
	return 0
}
