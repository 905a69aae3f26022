package files

import (
	"strconv"
	"time"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var touch = &command.Command{
	Name:     "touch",
	Operands: "[OPTION]... FILE...",
	Summary: "Update the modification time of each FILE to the current time. A FILE that does not exist is " +
		"created empty.",
	Options: []command.Option{
		{Short: 'a', Help: "change only the access time"},
		{Short: 'c', Long: "no-create", Help: "do not create any files"},
		{Short: 'd', Long: "date", Arg: "STRING", Help: "parse STRING and use it instead of current time"},
		{Short: 'f', Help: "(ignored)"},
		{Short: 'h', Long: "no-dereference"},
		{Short: 'm', Help: "change only the modification time"},
		{Short: 'r', Long: "reference", Arg: "FILE", Help: "use this file's times instead of current time"},
		{Short: 't', Arg: "[[CC]YY]MMDDhhmm[.ss]", Help: "use specified time instead of current time"},
		{Long: "time", Arg: "WORD"},
	},
	Run: runTouch,
}

func runTouch(c *command.Context) int {
	if len(c.Args) == 0 {
		return c.Usage("missing file operand")
	}
	at := time.Now()
	zone := command.Zone(c)
	if reference, ok := c.Value("reference"); ok {
		info, err := c.Stat(reference)
		if err != nil {
			c.Errorf("failed to get attributes of %s: %s", command.Quote(reference), command.Text(err))
			return 1
		}
		at = info.ModTime()
	}
	if s, ok := c.Value("date"); ok {
		parsed, ok := command.ParseTime(s, at, zone)
		if !ok {
			c.Errorf("invalid date format %s", command.QuoteText(s))
			return 1
		}
		at = parsed
	}
	if s, ok := c.Value("t"); ok {
		parsed, ok := posixTime(s, at, zone)
		if !ok {
			c.Errorf("invalid date format %s", command.QuoteText(s))
			return 1
		}
		at = parsed
	}
	ok := true
	for _, name := range c.Args {
		if name == "-" {
			continue
		}
		if _, err := c.Stat(name); err != nil && command.Text(err) == "No such file or directory" {
			if c.Has("no-create") {
				continue
			}
			if c.Has("no-dereference") {
				c.Errorf("setting times of %s: No such file or directory", command.Quote(name))
				ok = false
				continue
			}
			file, err := c.OpenFile(name, createFlags, 0o666)
			if err != nil {
				c.Errorf("cannot touch %s: %s", command.Quote(name), command.Text(err))
				ok = false
				continue
			}
			_ = file.Close()
			if len(c.Given) == 0 {
				continue
			}
		}
		if c.Has("a") && !c.Has("m") {
			continue
		}
		if err := c.Chtimes(name, at, at); err != nil {
			c.Errorf("cannot touch %s: %s", command.Quote(name), command.Text(err))
			ok = false
		}
	}
	return command.Status(ok)
}

// posixTime reads [[CC]YY]MMDDhhmm[.ss].
func posixTime(s string, now time.Time, zone *time.Location) (time.Time, bool) {
	seconds := 0
	if i := len(s) - 3; i > 0 && s[i] == '.' {
		n, err := strconv.Atoi(s[i+1:])
		if err != nil {
			return now, false
		}
		s, seconds = s[:i], n
	}
	layouts := map[int]string{8: "01021504", 10: "0601021504", 12: "200601021504"}
	layout, ok := layouts[len(s)]
	if !ok {
		return now, false
	}
	t, err := time.ParseInLocation(layout, s, zone)
	if err != nil {
		return now, false
	}
	if len(s) == 8 {
		t = time.Date(now.In(zone).Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, zone)
	}
	return t.Add(time.Duration(seconds) * time.Second), true
}
