package toolruntest

import (
	"regexp"
	"strings"
)

// HelpTexts returns what each command says of itself, by its name. help returns what toolrun prints for arguments that
// end with --help.
func HelpTexts(help func(args ...string) string) map[string]string {
	texts := map[string]string{}
	var add func(command []string)
	add = func(command []string) {
		text := help(append(append([]string{}, command...), "--help")...)
		texts[strings.Join(command, " ")] = text
		_, usage, _ := strings.Cut(text, "\nUsage:\n")
		usage, _, _ = strings.Cut(usage, "\nFlags:\n")
		_, lists, _ := strings.Cut(usage, "\n\n")
		if _, after, ok := strings.Cut(lists, "Examples:\n"); ok {
			_, lists, _ = strings.Cut(after, "\n\n")
		}
		for _, match := range subcommand.FindAllStringSubmatch(lists, -1) {
			add(append(append([]string{}, command...), match[1]))
		}
	}
	add(nil)
	return texts
}

var subcommand = regexp.MustCompile(`(?m)^  ([a-z]+) +[A-Z]`)

// Section returns the lines below a heading of such a text.
func Section(help, heading string) []string {
	_, after, ok := strings.Cut(help, "\n"+heading+":\n")
	if !ok {
		return nil
	}
	lines, _, _ := strings.Cut(after, "\n\n")
	return strings.Split(strings.TrimSpace(lines), "\n")
}
