// Package misc has commands of many kinds: about the system, numbers, dates, and what is in a directory.
package misc

import "github.com/toolrun/toolrun/guest/shell/internal/command"

// Commands are the commands of this package, by their names.
var Commands = []*command.Command{
	arch,
	bc,
	cal,
	df,
	du,
	factor,
	fileCommand,
	groups,
	hostname,
	id,
	logname,
	nproc,
	numfmt,
	rg,
	timeCommand,
	tree,
	tsort,
	uname,
	whoami,
}
