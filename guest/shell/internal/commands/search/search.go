// Package search has the commands that find files, or what is in them.
package search

import "github.com/toolrun/toolrun/guest/shell/internal/command"

// Commands are the commands of this package, by their names.
var Commands = []*command.Command{
	egrep,
	fgrep,
	find,
	grep,
	xargs,
}
