// Package system has the commands that are about the system, the time and other commands.
package system

import (
	_ "time/tzdata" // the time zones, which a sandbox has none of

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// Commands are the commands of this package, by their names.
var Commands = []*command.Command{
	date,
	env,
	expr,
	nice,
	nohup,
	printenv,
	sleep,
	timeout,
	which,
	yes,
}
