package command

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// ErrTooLarge is the error of a number that does not fit.
var ErrTooLarge = errors.New("Value too large for defined data type")

// ParseSize reads a number with a suffix as GNU commands have them: b, K, KB, KiB, M and so on, up to E.
func ParseSize(s string) (int64, error) {
	end := 0
	for end < len(s) && s[end] >= '0' && s[end] <= '9' {
		end++
	}
	digits, suffix := s[:end], s[end:]
	if digits == "" && suffix != "" {
		digits = "1"
		if s[0] == '-' || s[0] == '+' || strings.IndexByte("bkKmMGTPE", s[0]) < 0 {
			return 0, strconv.ErrSyntax
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	if err != nil {
		if errors.Is(err, strconv.ErrRange) {
			return math.MaxInt64, ErrTooLarge
		}
		return 0, strconv.ErrSyntax
	}
	if suffix == "" {
		return n, nil
	}
	if suffix == "b" {
		return times(n, 512)
	}
	power := strings.IndexByte("KMGTPE", suffix[0]&^0x20) + 1
	if power == 0 || suffix[0] >= 'a' && suffix[0] != 'k' && suffix[0] != 'm' {
		return 0, strconv.ErrSyntax
	}
	base := int64(1024)
	switch suffix[1:] {
	case "", "iB":
	case "B":
		base = 1000
	default:
		return 0, strconv.ErrSyntax
	}
	for range power {
		if n, err = times(n, base); err != nil {
			return n, err
		}
	}
	return n, nil
}

func times(n, factor int64) (int64, error) {
	if n > math.MaxInt64/factor {
		return math.MaxInt64, ErrTooLarge
	}
	return n * factor, nil
}
