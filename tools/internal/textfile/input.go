package textfile

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/tool"
)

// An Input is a model's input.
type Input struct {
	Command string `json:"command"`
	// Path is used by all commands except rename and copy, which use OldPath and NewPath, and view-all, which uses
	// Paths.
	Path    string   `json:"path"`
	OldPath string   `json:"old_path"`
	NewPath string   `json:"new_path"`
	Paths   []string `json:"paths"`

	ViewRange  []json.Number `json:"view_range"`
	FileText   *string       `json:"file_text"`
	Overwrite  bool          `json:"overwrite"`
	OldStr     string        `json:"old_str"`
	NewStr     *string       `json:"new_str"`
	InsertLine json.Number   `json:"insert_line"`
	InsertText *string       `json:"insert_text"`
}

// Text returns the text of a command that writes one, or "" if there is none.
func (in Input) Text() string {
	if text := in.GivenText(); text != nil {
		return *text
	}
	return ""
}

// GivenText is Text, but nil if there is none.
func (in Input) GivenText() *string {
	for _, name := range textNames[in.Command] {
		text := map[string]*string{"file_text": in.FileText, "insert_text": in.InsertText, "new_str": in.NewStr}[name]
		if text != nil {
			return text
		}
	}
	return nil
}

// textNames are the names that the text of a command can have, the right one first. Models know the others from
// similar tools.
var textNames = map[string][]string{
	"create":      {"file_text"},
	"append":      {"file_text", "insert_text"},
	"insert":      {"insert_text", "new_str"},
	"str_replace": {"new_str"},
}

// Check reports what is wrong with an input of a tool, for a [tool.InputChecker].
func Check(toolName string, commands []string, input map[string]any) error {
	command, _ := input["command"].(string)
	if command == "" {
		return tool.Errorf("Error: command is required")
	}
	if !slices.Contains(commands, command) {
		return UnknownCommand(toolName, command, commands)
	}
	has := func(name string) bool { s, _ := input[name].(string); return s != "" }
	hasPath := func(name string) bool { s, _ := input[name].(string); return strings.Trim(s, Space) != "" }
	switch command {
	case "rename", "copy":
		if !hasPath("old_path") || !hasPath("new_path") {
			return tool.Errorf("Error: old_path and new_path are required for %s command", command)
		}
	case "view-all":
		if paths, _ := input["paths"].([]any); len(paths) == 0 {
			return tool.Errorf("Error: paths array is required and must not be empty.")
		}
	default:
		if !hasPath("path") {
			return tool.Errorf("Error: path is required for %s command", command)
		}
	}
	switch command {
	case "str_replace":
		if !has("old_str") {
			return tool.Errorf("Error: old_str is required for str_replace command")
		}
		return nil
	case "insert":
		if _, ok := input["insert_line"].(json.Number); !ok {
			return tool.Errorf("Error: insert_line (number) is required for insert command")
		}
	}
	names := textNames[command]
	isText := func(name string) bool { _, ok := input[name].(string); return ok }
	switch {
	case len(names) == 0 || slices.ContainsFunc(names, isText):
	case input[names[0]] != nil: // often an object, if the file is to be JSON
		return tool.Errorf("Error: %s is required for %s command, as a string: "+
			"pass the text itself, also if it is JSON", names[0], command)
	case mislaid(input):
		return tool.Errorf("Error: %s is required for %s command", names[0], command)
	}
	return nil
}

// otherNames are names that models have for commands from shells and other tools. The first command that a tool has is
// probably meant.
var otherNames = map[string][]string{
	"read": {"view"}, "open": {"view"}, "cat": {"view"}, "get": {"view"}, "show": {"view"},
	"list": {"view"}, "ls": {"view"},
	"dir": {"view"}, "tree": {"view"}, "write": {"create"}, "save": {"create"}, "new": {"create"}, "touch": {"create"},
	"overwrite": {"create"}, "make": {"create"}, "put": {"create"}, "edit": {"str_replace"}, "replace": {"str_replace"},
	"update": {"str_replace"}, "modify": {"str_replace"}, "patch": {"str_replace"}, "add": {"append", "insert"},
	"remove": {"delete"}, "rm": {"delete"}, "unlink": {"delete"}, "rmdir": {"delete"},
	"erase": {"delete"}, "mv": {"rename"},
	"move": {"rename"}, "cp": {"copy"}, "duplicate": {"copy"},
}

// UnknownCommand is the error of a command that a tool does not have. It names those that it has.
func UnknownCommand(toolName, command string, commands []string) error {
	text := fmt.Sprintf("Unknown %s command: %s.", toolName, Cut(command, 200))
	name := strings.ToLower(strings.TrimSpace(command))
	first, _, _ := strings.Cut(strings.NewReplacer("-", "_", " ", "_").Replace(name), "_") // read_file, list files
	meant := append([]string{name, strings.NewReplacer("-", "_").Replace(name), strings.ReplaceAll(name, "_", "-")},
		otherNames[first]...)
	if i := slices.IndexFunc(meant, func(name string) bool { return slices.Contains(commands, name) }); i >= 0 {
		text += " Did you mean " + meant[i] + "?"
	}
	return tool.Errorf("%s The commands are %s.", text, strings.Join(commands, ", "))
}

// mislaid reports whether an input without the text of its command has one by another name. Without a text the command
// would make an empty file, although the model has passed one.
func mislaid(input map[string]any) bool {
	for name, value := range input {
		switch name {
		case "command", "path", "overwrite", "paths", "old_path", "new_path", "view_range", "insert_line":
		default:
			if s, ok := value.(string); ok && s != "" {
				return true
			}
		}
	}
	return false
}

// whole returns a number if it is an integer. Values out of range become the largest or smallest int.
func whole(n json.Number) (int, bool) {
	if i, err := n.Int64(); err == nil {
		return int(min(max(i, math.MinInt), math.MaxInt)), true
	}
	f, err := n.Float64()
	switch {
	case f >= math.MaxInt32:
		return math.MaxInt, true
	case f <= math.MinInt32:
		return math.MinInt, true
	}
	return int(f), err == nil && f == math.Trunc(f)
}

// Describe formats an input for people: the command and its path, and below it the written text. If that is
// impossible, it returns the input.
func Describe(raw json.RawMessage) string {
	var in Input
	if json.Unmarshal(raw, &in) != nil || in.Command == "" {
		return string(raw)
	}
	var b strings.Builder
	b.WriteString(in.Command)
	switch {
	case in.OldPath != "" || in.NewPath != "":
		fmt.Fprintf(&b, " %s to %s", in.OldPath, in.NewPath)
	case in.Paths != nil:
		b.WriteString(" " + strings.Join(in.Paths, " "))
	case in.Path != "":
		b.WriteString(" " + in.Path)
	}
	if len(in.ViewRange) == 2 {
		fmt.Fprintf(&b, ", lines %s to %s", in.ViewRange[0], in.ViewRange[1])
	}
	if in.InsertLine != "" {
		fmt.Fprintf(&b, ", after line %s", in.InsertLine)
	}
	if in.Overwrite {
		b.WriteString(", overwriting")
	}
	prefixed := func(prefix, text string) {
		for line := range strings.Lines(text) {
			b.WriteString("\n" + prefix + strings.TrimSuffix(line, "\n"))
		}
	}
	prefixed("- ", in.OldStr)
	prefixed("+ ", in.Text())
	return b.String()
}
