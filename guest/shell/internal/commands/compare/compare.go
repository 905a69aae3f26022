// Package compare has the commands that compare files, and that apply what was found.
package compare

import "github.com/toolrun/toolrun/guest/shell/internal/command"

// Commands are the commands of this package, by their names.
var Commands = []*command.Command{
	diff,
	patch,
}
