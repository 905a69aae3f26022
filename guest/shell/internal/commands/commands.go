// Package commands is the table of all commands of the shell. Each package below it has those of one kind, one file
// each.
package commands

import (
	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/commands/archive"
	"github.com/toolrun/toolrun/guest/shell/internal/commands/awk"
	"github.com/toolrun/toolrun/guest/shell/internal/commands/bytes"
	"github.com/toolrun/toolrun/guest/shell/internal/commands/compare"
	"github.com/toolrun/toolrun/guest/shell/internal/commands/data"
	"github.com/toolrun/toolrun/guest/shell/internal/commands/files"
	"github.com/toolrun/toolrun/guest/shell/internal/commands/lines"
	"github.com/toolrun/toolrun/guest/shell/internal/commands/makefiles"
	"github.com/toolrun/toolrun/guest/shell/internal/commands/misc"
	"github.com/toolrun/toolrun/guest/shell/internal/commands/outside"
	"github.com/toolrun/toolrun/guest/shell/internal/commands/search"
	"github.com/toolrun/toolrun/guest/shell/internal/commands/sed"
	"github.com/toolrun/toolrun/guest/shell/internal/commands/system"
	"github.com/toolrun/toolrun/guest/shell/internal/commands/text"
)

// Table has all commands.
var Table = command.NewTable(
	archive.Commands,
	awk.Commands,
	bytes.Commands,
	compare.Commands,
	data.Commands,
	files.Commands,
	lines.Commands,
	makefiles.Commands,
	misc.Commands,
	outside.Commands,
	search.Commands,
	sed.Commands,
	system.Commands,
	text.Commands,
)
