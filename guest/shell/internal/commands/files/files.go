// Package files has the commands that work on files and directories, whatever is in them.
package files

import "github.com/toolrun/toolrun/guest/shell/internal/command"

// Commands are the commands of this package, by their names.
var Commands = []*command.Command{
	basename,
	chgrp,
	chmod,
	chown,
	cp,
	dirname,
	ln,
	ls,
	mkdir,
	mktemp,
	mv,
	readlink,
	realpath,
	rm,
	rmdir,
	stat,
	touch,
}
