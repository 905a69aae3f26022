package jq

import (
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// location is the time zone of the environment.
func (r *run) location() *time.Location {
	if name := r.Lookup("TZ"); name != "" {
		if l, err := time.LoadLocation(name); err == nil {
			return l
		}
	}
	return time.UTC
}

func gmtime(v any) (any, error) { return brokenDown(v, time.UTC) }

func brokenDown(v any, where *time.Location) (any, error) {
	f, ok := v.(float64)
	if !ok {
		return nil, failf("gmtime() requires a number")
	}
	whole := math.Floor(f)
	t := time.Unix(int64(whole), 0).In(where)
	seconds := float64(t.Second()) + (f - whole)
	return []any{float64(t.Year()), float64(t.Month() - 1), float64(t.Day()), float64(t.Hour()), float64(t.Minute()),
		seconds,
		float64(t.Weekday()), float64(t.YearDay() - 1)}, nil
}

// timeOf returns the time that a broken-down time is.
func timeOf(v any, where *time.Location, name string) (time.Time, error) {
	list, ok := v.([]any)
	if !ok || len(list) < 6 {
		return time.Time{}, failf("%s requires array of 6 numbers", name)
	}
	var n [6]int
	for i := range n {
		f, ok := list[i].(float64)
		if !ok {
			return time.Time{}, failf("%s requires parsed datetime inputs", name)
		}
		n[i] = int(f)
	}
	return time.Date(n[0], time.Month(n[1]+1), n[2], n[3], n[4], n[5], 0, where), nil
}

func mktime(v any) (any, error) {
	if _, ok := v.([]any); !ok {
		return nil, failf("mktime requires array of 6 numbers")
	}
	t, err := timeOf(v, time.UTC, "mktime")
	if err != nil {
		return nil, err
	}
	return float64(t.Unix()), nil
}

func strftime(v, format any, where *time.Location) (any, error) {
	f, ok := format.(string)
	if !ok {
		return nil, failf("strftime/1 requires a string format")
	}
	if n, ok := v.(float64); ok {
		return command.FormatTime(time.Unix(int64(math.Floor(n)), 0).In(where), f), nil
	}
	if _, ok := v.([]any); !ok {
		return nil, failf("strftime/1 requires parsed datetime inputs")
	}
	t, err := timeOf(v, where, "strftime/1")
	if err != nil {
		return nil, err
	}
	return command.FormatTime(t, f), nil
}

var layouts = map[byte]string{'Y': "2006", 'm': "01", 'd': "02", 'e': "_2", 'H': "15", 'I': "03", 'M': "04", 'S': "05",
	'p': "PM",
	'A': "Monday", 'a': "Mon", 'B': "January", 'b': "Jan", 'h': "Jan", 'y': "06", 'z': "-0700", 'Z': "MST", 'j': "002",
	'T': "15:04:05", 'D': "01/02/06", 'F': "2006-01-02", 'R': "15:04", 'n': "\n", 't': "\t", '%': "%"}

func strptime(v, format any) (any, error) {
	s, ok := v.(string)
	if !ok {
		return nil, failf("strptime/1 requires string inputs and arguments")
	}
	f, ok := format.(string)
	if !ok {
		return nil, failf("strptime/1 requires string inputs and arguments")
	}
	if f == "%s" {
		n, err := strconv.ParseInt(strings.TrimSpace(s), 10, 64)
		if err == nil {
			return gmtime(float64(n))
		}
	}
	var layout strings.Builder
	for i := 0; i < len(f); i++ {
		if f[i] == '%' && i+1 < len(f) {
			i++
			if l, ok := layouts[f[i]]; ok {
				layout.WriteString(l)
				continue
			}
		}
		layout.WriteByte(f[i])
	}
	t, err := time.Parse(layout.String(), s)
	if err != nil {
		// A zone can be Z, and numbers can lack zeros.
		if t, err = time.Parse(strings.ReplaceAll(layout.String(), "-0700", "Z0700"), s); err != nil {
			return nil, failf("date \"%s\" does not match format \"%s\"", s, f)
		}
	}
	return []any{float64(t.Year()), float64(t.Month() - 1), float64(t.Day()), float64(t.Hour()), float64(t.Minute()),
		float64(t.Second()), float64(t.Weekday()), float64(t.YearDay() - 1)}, nil
}
