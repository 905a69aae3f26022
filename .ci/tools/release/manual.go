package main

import (
	"fmt"
	"regexp"
	"strings"
	"time"
)

// manual makes a manual page of the help of each command. Print runs the command.
func manual(print func(args ...string) ([]byte, error), at time.Time, version string) (pages []file, err error) {
	var add func(path []string, short string) error
	add = func(path []string, short string) error {
		text, err := print(append([]string{"help"}, path...)...)
		if err != nil {
			return err
		}
		name := strings.Join(append([]string{"toolrun"}, path...), "-")
		help := parseHelp(string(text))
		pages = append(pages, file{name: "share/man/man1/" + name + ".1", content: help.page(name, short, at, version)})
		for _, c := range help.commands {
			if c.name == "help" {
				continue
			}
			if err := add(append(path[:len(path):len(path)], c.name), c.short); err != nil {
				return err
			}
		}
		return nil
	}
	err = add(nil, description)
	return pages, err
}

// A help is what a command says of itself.
type help struct {
	long     string
	sections []section
	commands []struct{ name, short string }
}

type section struct{ title, text string }

var (
	heading    = regexp.MustCompile(`^([A-Z][A-Za-z' ]*):$`)
	subcommand = regexp.MustCompile(`^  ([a-z][a-z-]*) {2,}(\S.*)$`)
)

func parseHelp(text string) (h help) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		if title := heading.FindStringSubmatch(line); title != nil && (len(h.sections) > 0 || title[1] == "Usage") {
			h.sections = append(h.sections, section{title: title[1]})
			continue
		}
		if len(h.sections) == 0 {
			h.long += line + "\n"
			continue
		}
		s := &h.sections[len(h.sections)-1]
		switch s.title {
		case "Usage", "Examples", "Flags", "Global Flags", "Aliases":
		default:
			if c := subcommand.FindStringSubmatch(line); c != nil {
				h.commands = append(h.commands, struct{ name, short string }{c[1], c[2]})
			}
		}
		s.text += line + "\n"
	}
	return h
}

// page writes a help as a manual page. Its lines are broken already, and its tables are aligned.
func (h *help) page(name, short string, at time.Time, version string) []byte {
	var out strings.Builder
	fmt.Fprintf(&out, ".TH %s 1 %q %q %q\n", strings.ToUpper(roff(name)), at.Format(time.DateOnly), "toolrun "+version,
		"User Commands")
	fmt.Fprintf(&out, ".SH NAME\n%s \\- %s\n", roff(name), roff(short))
	print := func(title, text string) {
		fmt.Fprintf(&out, ".SH %s\n.nf\n", strings.ToUpper(title))
		for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
			fmt.Fprintf(&out, "%s\n", roff(line))
		}
		out.WriteString(".fi\n")
	}
	for _, s := range h.sections {
		title := s.title
		if title == "Usage" {
			title = "Synopsis"
		}
		print(title, s.text)
		if s.title == "Usage" {
			print("Description", h.long)
		}
	}
	return []byte(out.String())
}

// roff quotes what roff would take for requests or hyphens.
func roff(line string) string {
	line = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "`", "\\(ga", "^", `\(ha`, "~", `\(ti`).Replace(line)
	if strings.HasPrefix(line, ".") {
		line = `\&` + line
	}
	return line
}
