// Package data has the commands for data with a structure: JSON, YAML, TOML, XML and CSV.
package data

import "github.com/toolrun/toolrun/guest/shell/internal/command"

// Commands are the commands of this package, by their names.
var Commands = []*command.Command{
	html2text,
	jqCommand,
	xsv,
	yqCommand,
}
