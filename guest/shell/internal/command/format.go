package command

import (
	"fmt"
	"strings"
)

// FormatFloat formats a number with a format of printf that has one directive for floating-point numbers.
func FormatFloat(format string, f float64) string {
	var b strings.Builder
	for i := 0; i < len(format); i++ {
		if format[i] != '%' || i+1 == len(format) {
			b.WriteByte(format[i])
			continue
		}
		if format[i+1] == '%' {
			b.WriteByte('%')
			i++
			continue
		}
		end := i + 1
		for end < len(format) && strings.IndexByte("efgEFGaA", format[end]) < 0 {
			end++
		}
		if end == len(format) {
			b.WriteString(format[i:])
			break
		}
		directive := strings.Map(func(r rune) rune {
			if strings.ContainsRune("lL'", r) {
				return -1
			}
			return r
		}, format[i:end])
		if !strings.Contains(directive, ".") {
			directive += ".6"
		}
		b.WriteString(fmt.Sprintf(directive+format[end:end+1], f))
		i = end
	}
	return b.String()
}
