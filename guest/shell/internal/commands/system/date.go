package system

import (
	"io"
	"strings"
	"time"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var date = &command.Command{
	Name:     "date",
	Operands: "[OPTION]... [+FORMAT]",
	Summary:  "Display date and time in the given FORMAT. The time zone is that of the variable TZ, or UTC.",
	Options: []command.Option{
		{Short: 'd', Long: "date", Arg: "STRING", Help: "display time described by STRING, not 'now'"},
		{Long: "debug"},
		{Short: 'f', Long: "file", Arg: "DATEFILE", Help: "like --date; once for each line of DATEFILE"},
		{Short: 'I', Long: "iso-8601", Arg: "FMT", Optional: true,
			Help: "output date/time in ISO 8601 format; FMT='date' (default),\n'hours', 'minutes', 'seconds', or 'ns'"},
		{Short: 'R', Long: "rfc-email", Help: "output date and time in RFC 5322 format"},
		{Long: "rfc-2822"}, {Long: "rfc-822"},
		{Long: "rfc-3339", Arg: "FMT", Help: "output date/time in RFC 3339 format; FMT='date', 'seconds',\nor 'ns'"},
		{Short: 'r', Long: "reference", Arg: "FILE", Help: "display the last modification time of FILE"},
		{Short: 's', Long: "set", Arg: "STRING"},
		{Short: 'u', Long: "utc", Help: "print Coordinated Universal Time (UTC)"},
		{Long: "universal"},
	},
	Run: runDate,
}

func runDate(c *command.Context) int {
	zone := command.Zone(c)
	if c.Has("utc") || c.Has("universal") {
		zone = time.UTC
	}
	format := ""
	choose := func(kind, value string) bool {
		formats := map[string]string{
			"iso-8601 date": "%Y-%m-%d", "iso-8601 ": "%Y-%m-%d", "iso-8601 hours": "%Y-%m-%dT%H%:z",
			"iso-8601 minutes": "%Y-%m-%dT%H:%M%:z", "iso-8601 seconds": "%Y-%m-%dT%H:%M:%S%:z",
			"iso-8601 ns": "%Y-%m-%dT%H:%M:%S,%N%:z", "rfc-3339 date": "%Y-%m-%d",
			"rfc-3339 seconds": "%Y-%m-%d %H:%M:%S%:z", "rfc-3339 ns": "%Y-%m-%d %H:%M:%S.%N%:z",
			"rfc-email ": "%a, %d %b %Y %H:%M:%S %z",
		}
		found, ok := formats[kind+" "+value]
		format = found
		return ok
	}
	for _, g := range c.Given {
		kind := g.Name
		switch kind {
		case "rfc-2822", "rfc-822":
			kind = "rfc-email"
		case "iso-8601", "rfc-3339", "rfc-email":
		case "set":
			c.Errorf("cannot set date: Operation not permitted")
			return 1
		default:
			continue
		}
		value := g.Value
		for _, full := range []string{"date", "hours", "minutes", "seconds", "ns"} {
			if value != "" && strings.HasPrefix(full, value) {
				value = full
			}
		}
		if !choose(kind, value) {
			return c.Usage("invalid argument %s for %s", command.QuoteText(g.Value), command.QuoteText("--"+kind))
		}
	}
	if len(c.Args) > 1 {
		return c.Extra(c.Args[1])
	}
	for _, arg := range c.Args {
		text, ok := strings.CutPrefix(arg, "+")
		if !ok {
			if c.Has("date") {
				return c.Extra(arg)
			}
			c.Errorf("invalid date %s", command.QuoteText(arg))
			return 1
		}
		if format != "" {
			c.Errorf("multiple output formats specified")
			return 1
		}
		if format = text; text == "" {
			format = "\x00"
		}
	}
	switch format {
	case "":
		format = "%a %b %e %H:%M:%S %Z %Y"
		if c.Getenv("LC_ALL") == "en_US.UTF-8" {
			format = "%a %b %e %r %Z %Y"
		}
	case "\x00":
		format = ""
	}
	now := time.Now()
	out := c.Output()
	ok := true
	show := func(at time.Time) { _, _ = out.WriteString(command.FormatTime(at.In(zone), format) + "\n") }
	parse := func(s string) {
		at, valid := command.ParseTime(s, now, zone)
		if !valid {
			_ = out.Flush()
			c.Errorf("invalid date %s", command.QuoteText(s))
			ok = false
			return
		}
		show(at)
	}
	switch c.Last("date", "file", "reference") {
	case "date":
		s, _ := c.Value("date")
		parse(s)
	case "file":
		name, _ := c.Value("file")
		in, err := c.Input(name)
		var data []byte
		if err == nil {
			data, err = io.ReadAll(in)
			_ = in.Close()
		}
		if err != nil {
			c.FileError(name, err)
			return 1
		}
		for line := range strings.SplitSeq(strings.TrimSuffix(string(data), "\n"), "\n") {
			parse(line)
		}
	case "reference":
		name, _ := c.Value("reference")
		info, err := c.Stat(name)
		if err != nil {
			c.FileError(name, err)
			return 1
		}
		show(info.ModTime())
	default:
		show(now)
	}
	return command.Status(out.Flush() == nil && ok)
}
