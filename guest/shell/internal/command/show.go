package command

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math"
	"strconv"
	"strings"
)

// ModeText returns the mode of a file as ls -l shows it.
func ModeText(mode fs.FileMode) string {
	kind := "-"
	switch {
	case mode.IsDir():
		kind = "d"
	case mode&fs.ModeSymlink != 0:
		kind = "l"
	case mode&fs.ModeNamedPipe != 0:
		kind = "p"
	case mode&fs.ModeCharDevice != 0:
		kind = "c"
	case mode&fs.ModeSocket != 0:
		kind = "s"
	case mode&fs.ModeDevice != 0:
		kind = "b"
	}
	return kind + mode.Perm().String()[1:]
}

// Human returns a size as ls -h shows it: 1.5K, 23M. With si, the units are powers of 1000.
func Human(size int64, si bool) string {
	base, letters := 1024.0, "KMGTPE"
	if si {
		base, letters = 1000, "kMGTPE"
	}
	if float64(size) < base {
		return strconv.FormatInt(size, 10)
	}
	f := float64(size)
	unit := -1
	for f >= base && unit < len(letters)-1 {
		f /= base
		unit++
	}
	// It is rounded up.
	if tenths := math.Ceil(f*10 - 1e-9); tenths < 100 {
		return fmt.Sprintf("%.1f%c", tenths/10, letters[unit])
	}
	whole := math.Ceil(f - 1e-9)
	if whole >= base && unit < len(letters)-1 {
		return fmt.Sprintf("1.0%c", letters[unit+1])
	}
	return fmt.Sprintf("%.0f%c", whole, letters[unit])
}

// Inode returns a number for a file, which projects have none of: it comes from its path.
func Inode(name string) uint32 {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name))
	return h.Sum32()
}

// CompareVersions compares names as "ls -v" and "sort -V" do: numbers in them count as numbers.
func CompareVersions(a, b string) int {
	if a == b {
		return 0
	}
	for _, special := range []string{"", ".", ".."} {
		if a == special {
			return -1
		}
		if b == special {
			return 1
		}
	}
	if hidden := strings.HasPrefix(a, "."); hidden != strings.HasPrefix(b, ".") {
		if hidden {
			return -1
		}
		return 1
	} else if hidden {
		a, b = a[1:], b[1:]
	}
	cutA, cutB := withoutExtension(a), withoutExtension(b)
	return cmp.Or(compareVersion(cutA, cutB), compareVersion(a, b))
}

// withoutExtension removes a suffix like ".tar.gz".
func withoutExtension(s string) string {
	end := len(s)
	for i := len(s); i > 0; {
		j := i
		for j > 0 && (isLetter(s[j-1]) || s[j-1] >= '0' && s[j-1] <= '9' || s[j-1] == '~') {
			j--
		}
		if j == i || j == 0 || s[j-1] != '.' || !isLetter(s[j]) && s[j] != '~' {
			break
		}
		i = j - 1
		end = i
	}
	return s[:end]
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func compareVersion(a, b string) int {
	order := func(s string, i int) int {
		switch {
		case i == len(s) || isDigit(s[i]):
			return 0
		case isLetter(s[i]):
			return int(s[i])
		case s[i] == '~':
			return -1
		}
		return int(s[i]) + 256
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		for i < len(a) && !isDigit(a[i]) || j < len(b) && !isDigit(b[j]) {
			if c := cmp.Compare(order(a, i), order(b, j)); c != 0 {
				return c
			}
			i, j = min(i+1, len(a)), min(j+1, len(b))
		}
		for i < len(a) && a[i] == '0' {
			i++
		}
		for j < len(b) && b[j] == '0' {
			j++
		}
		first := 0
		for i < len(a) && j < len(b) && isDigit(a[i]) && isDigit(b[j]) {
			if first == 0 {
				first = cmp.Compare(a[i], b[j])
			}
			i, j = i+1, j+1
		}
		switch {
		case i < len(a) && isDigit(a[i]):
			return 1
		case j < len(b) && isDigit(b[j]):
			return -1
		case first != 0:
			return first
		}
	}
	return 0
}
