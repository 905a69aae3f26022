// Toolrun runs untrusted code in a sandbox with hard limits. See toolrun help.
package main

import (
	"context"
	"os"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/cli"
	_ "github.com/toolrun/toolrun/cmd/toolrun/internal/quickstart"
)

func main() { os.Exit(cli.Run(context.Background(), cli.Process(), os.Args[1:])) }
