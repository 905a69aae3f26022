package command

import "strings"

// Unescape replaces the escapes of a format, such as \n, \t, \0 and \x41, with what they stand for.
func Unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '\\' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		if at := strings.IndexByte("abefnrtv\\", s[i]); at >= 0 {
			b.WriteByte("\a\b\x1b\f\n\r\t\v\\"[at])
			continue
		}
		value, digits := 0, 0
		switch {
		case s[i] >= '0' && s[i] <= '7':
			for digits < 3 && i+digits < len(s) && s[i+digits] >= '0' && s[i+digits] <= '7' {
				value = value*8 + int(s[i+digits]-'0')
				digits++
			}
			i += digits - 1
		case s[i] == 'x':
			for digits < 2 && i+1+digits < len(s) {
				d := strings.IndexByte("0123456789abcdef", s[i+1+digits]|0x20)
				if s[i+1+digits] < '0' || d < 0 {
					break
				}
				value = value*16 + d
				digits++
			}
			i += digits
		}
		if digits == 0 {
			b.WriteString(`\` + string(s[i]))
			continue
		}
		b.WriteByte(byte(value))
	}
	return b.String()
}
