// Package text has the commands that read lines and write others.
package text

import "github.com/toolrun/toolrun/guest/shell/internal/command"

// Commands are the commands of this package, by their names.
var Commands = []*command.Command{
	cat,
	cut,
	head,
	less,
	more,
	seq,
	sort,
	tail,
	tee,
	tr,
	uniq,
	wc,
}
