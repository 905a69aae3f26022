// Toolrun runs untrusted code in a sandbox with hard limits. See toolrun help.
package main

import (
	"os"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
