package outside

import (
	_ "embed"
	"encoding/json"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var sqlite = &command.Command{
	Name:     "sqlite3",
	Operands: "[OPTION]... [FILE] [SQL | .COMMAND]...",
	Summary:  "Query a database of SQLite, by the tool python. Without SQL, it comes from standard input.",
	Notes: "The options are -csv -json -line -list -tabs -column -table -box -markdown -quote -insert\n" +
		"-header -noheader -separator SEP -nullvalue TEXT -bail -cmd SQL. Commands with a dot:\n" +
		".tables .schema .indexes .dump .mode .headers .separator .nullvalue .import .read .print .bail .quit",
	Raw: true, // its options have one dash
	Run: runSQLite,
}

//go:embed sqlite.py
var sqliteProgram string

func runSQLite(c *command.Context) int {
	task := struct {
		File      string   `json:"file"`
		SQL       []string `json:"sql"`
		Mode      string   `json:"mode"`
		Headers   *bool    `json:"headers"`
		Separator string   `json:"separator"`
		Null      string   `json:"null"`
		Bail      bool     `json:"bail"`
	}{File: ":memory:", Mode: "list", Separator: "|"}
	args := c.Args
	var before, operands []string
	for len(args) > 0 {
		if !strings.HasPrefix(args[0], "-") {
			operands, args = append(operands, args[0]), args[1:]
			continue
		}
		option := strings.TrimPrefix(strings.TrimPrefix(args[0], "-"), "-")
		args = args[1:]
		headers := option == "header"
		switch option {
		case "csv", "json", "line", "list", "tabs", "column", "table", "box", "markdown", "quote", "insert":
			task.Mode = option
		case "header", "noheader":
			task.Headers = &headers
		case "bail":
			task.Bail = true
		case "batch", "interactive", "readonly", "safe":
		case "separator", "nullvalue", "cmd":
			if len(args) == 0 {
				c.Errorf("Error: missing argument to -%s", option)
				return 1
			}
			switch option {
			case "separator":
				task.Separator = command.Unescape(args[0])
			case "nullvalue":
				task.Null = args[0]
			default:
				before = append(before, args[0])
			}
			args = args[1:]
		case "version":
			return runPythonProgram(c, program{Code: "import sqlite3; print(sqlite3.sqlite_version)"}, false)
		default:
			c.Errorf("Error: unknown option: -%s\nUse -help for a list of options.", option)
			return 1
		}
	}
	if len(operands) > 0 {
		if operands[0] != ":memory:" && operands[0] != "" {
			task.File = c.Path(operands[0])
		}
		task.SQL = operands[1:]
	}
	reads := len(task.SQL) == 0
	if len(before) > 0 {
		task.SQL = append(before, task.SQL...)
		if reads {
			task.SQL = append(task.SQL, ".read /dev/stdin")
		}
	}
	data, err := json.Marshal(task)
	if err != nil {
		c.Errorf("%v", err)
		return 1
	}
	return runPythonProgram(c, program{Code: sqliteProgram, Args: []string{"sqlite3", string(data)}}, reads)
}
