package command

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// FormatTime formats a time as strftime and date do. Flags -, _, 0, ^ and # and a width may follow "%".
func FormatTime(t time.Time, format string) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		from := i
		i++
		flag := byte(0)
		upper := false
		for i < len(format) && strings.IndexByte("-_0^#", format[i]) >= 0 {
			if format[i] == '^' || format[i] == '#' {
				upper = true
			} else {
				flag = format[i]
			}
			i++
		}
		width := 0
		for i < len(format) && format[i] >= '0' && format[i] <= '9' && width < 1000 {
			width = width*10 + int(format[i]-'0')
			i++
		}
		for i < len(format) && (format[i] == 'E' || format[i] == 'O') {
			i++
		}
		colons := 0
		for i < len(format) && format[i] == ':' {
			colons++
			i++
		}
		if i == len(format) {
			b.WriteString(format[from:])
			break
		}
		text, ok := timeField(t, format[i], flag, width, colons)
		if !ok {
			b.WriteString(format[from : i+1])
			continue
		}
		if upper {
			text = strings.ToUpper(text)
		}
		b.WriteString(text)
	}
	return b.String()
}

// timeField returns what one letter of a format stands for.
func timeField(t time.Time, letter, flag byte, width, colons int) (string, bool) {
	number := func(n, digits int, pad byte) (string, bool) {
		switch flag {
		case '-':
			digits, pad = 0, '0'
		case '_':
			pad = ' '
		case '0':
			pad = '0'
		}
		if width > 0 {
			digits = width
		}
		s := strconv.Itoa(n)
		if len(s) < digits {
			s = strings.Repeat(string(pad), digits-len(s)) + s
		}
		return s, true
	}
	text := func(s string) (string, bool) {
		if len(s) < width {
			pad := " "
			if flag == '0' {
				pad = "0"
			}
			s = strings.Repeat(pad, width-len(s)) + s
		}
		return s, true
	}
	year, week := t.ISOWeek()
	hour12 := (t.Hour()+11)%12 + 1
	switch letter {
	case '%':
		return "%", true
	case 'n':
		return "\n", true
	case 't':
		return "\t", true
	case 'a':
		return text(t.Format("Mon"))
	case 'A':
		return text(t.Format("Monday"))
	case 'b', 'h':
		return text(t.Format("Jan"))
	case 'B':
		return text(t.Format("January"))
	case 'c':
		return text(t.Format("Mon Jan _2 15:04:05 2006"))
	case 'C':
		return number(t.Year()/100, 2, '0')
	case 'd':
		return number(t.Day(), 2, '0')
	case 'D', 'x':
		return text(t.Format("01/02/06"))
	case 'e':
		return number(t.Day(), 2, ' ')
	case 'F':
		return text(t.Format("2006-01-02"))
	case 'g':
		return number(year%100, 2, '0')
	case 'G':
		return number(year, 4, '0')
	case 'H':
		return number(t.Hour(), 2, '0')
	case 'I':
		return number(hour12, 2, '0')
	case 'j':
		return number(t.YearDay(), 3, '0')
	case 'k':
		return number(t.Hour(), 2, ' ')
	case 'l':
		return number(hour12, 2, ' ')
	case 'm':
		return number(int(t.Month()), 2, '0')
	case 'M':
		return number(t.Minute(), 2, '0')
	case 'N':
		s := fmt.Sprintf("%09d", t.Nanosecond())
		if width > 0 && width < 9 {
			s = s[:width]
		}
		return s, true
	case 'p':
		return text(t.Format("PM"))
	case 'P':
		return text(t.Format("pm"))
	case 'q':
		return number((int(t.Month())+2)/3, 1, '0')
	case 'r':
		return text(t.Format("03:04:05 PM"))
	case 'R':
		return text(t.Format("15:04"))
	case 's':
		return text(strconv.FormatInt(t.Unix(), 10))
	case 'S':
		return number(t.Second(), 2, '0')
	case 'T', 'X':
		return text(t.Format("15:04:05"))
	case 'u':
		return number((int(t.Weekday())+6)%7+1, 1, '0')
	case 'U':
		return number((t.YearDay()+6-int(t.Weekday()))/7, 2, '0')
	case 'V':
		return number(week, 2, '0')
	case 'w':
		return number(int(t.Weekday()), 1, '0')
	case 'W':
		return number((t.YearDay()+6-(int(t.Weekday())+6)%7)/7, 2, '0')
	case 'y':
		return number(t.Year()%100, 2, '0')
	case 'Y':
		return number(t.Year(), 4, '0')
	case 'z':
		return text(t.Format([]string{"-0700", "-07:00", "-07:00:00", "-07"}[min(colons, 3)]))
	case 'Z':
		return text(t.Format("MST"))
	case '+':
		return text(t.Format("Mon Jan _2 15:04:05 MST 2006"))
	}
	return "", false
}
