//go:build !wasip1

package main

import (
	"context"
	"io"
	"os"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/commands"
	"github.com/toolrun/toolrun/guest/shell/internal/shell"
)

// main runs "shell -c SCRIPT [ARGUMENT]...", or a script from standard input, on the files of the system: for trying
// things without a sandbox.
func main() {
	dir, _ := os.Getwd()
	sh := shell.New(shell.Options{Table: commands.Table, Dir: dir, Env: os.Environ()})
	var script string
	var args []string
	if len(os.Args) > 2 && os.Args[1] == "-c" {
		script, args = os.Args[2], os.Args[3:]
	} else {
		data, _ := io.ReadAll(os.Stdin)
		script = strings.TrimSpace(string(data))
	}
	os.Exit(sh.Run(context.Background(), script, args, shell.Streams{Stdin: os.Stdin, Stdout: os.Stdout,
		Stderr: os.Stderr}))
}
