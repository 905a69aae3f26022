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
}

// session is the shell, which is ready before the first call.
var session = shell.New(shell.Options{Table: commands.Table, NoModes: true, Outside: outside{}})

func init() {
	// A run is short, and its memory is bounded anyway: collecting less often makes it faster. What is near the limit
	// is collected as often as it takes.
	debug.SetGCPercent(400)
	debug.SetMemoryLimit(40 << 20)
	// What a script uses for the first time is in the memory from which calls start.
	session.Warm()
	// So is what reading a call uses.
	_ = json.Unmarshal([]byte(`{"command":"","args":[""]}`), new(input))
}

// call does the call whose JSON standard input has: it runs a script, whose output is the tool's.
//
//go:wasmexport toolrun_call
func call() int32 {
	data, err := io.ReadAll(os.Stdin)
	var in input
	if err == nil {
		err = json.Unmarshal(data, &in)
	}
	if err != nil {
		_, _ = os.Stderr.WriteString(err.Error() + "\n")
		return 2
	}
	session.Begin(os.Environ())
	if in.Separate {
		return int32(session.Run(context.Background(), in.Command, in.Args, shell.Streams{
			Stdin: strings.NewReader(in.Stdin), Stdout: os.Stdout, Stderr: os.Stderr,
		}))
	}
	var output bytes.Buffer
	status := session.Run(context.Background(), in.Command, in.Args, shell.Streams{
		Stdin: strings.NewReader(in.Stdin), Stdout: &output, Stderr: &output,
	})
	if status != 0 {
		output.WriteString("[exit status " + strconv.Itoa(status) + "]\n")
	}
	_, _ = os.Stdout.Write(output.Bytes())
	return 0
}

//go:wasmexport toolrun_describe
func describe() int32 {
	_, _ = os.Stdout.Write(manifest)
	return 0
}
