package command

import (
	"maps"
	"slices"
)

// A Table has commands by their names.
type Table map[string]*Command

// NewTable returns a table of commands. It panics if two have one name.
func NewTable(lists ...[]*Command) Table {
	t := Table{}
	for _, list := range lists {
		for _, cmd := range list {
			if t[cmd.Name] != nil {
				panic("two commands are " + cmd.Name)
			}
			t[cmd.Name] = cmd
		}
	}
	return t
}

// Names returns the names, sorted.
func (t Table) Names() []string { return slices.Sorted(maps.Keys(t)) }

// Nearest returns the name that is most like another one, or "" if none is.
func (t Table) Nearest(name string) string {
	if other, ok := instead[name]; ok {
		return other
	}
	best, nearest := 2+min(1, len(name)/7), ""
	for _, candidate := range t.Names() {
		if d := distance(name, candidate); d < best {
			best, nearest = d, candidate
		}
	}
	return nearest
}

// instead has commands that do what others do elsewhere.
var instead = map[string]string{
	"vi": "sed", "vim": "sed", "nano": "sed", "ed": "sed", "ack": "rg", "ag": "rg",
	"fd": "find", "fdfind": "find", "locate": "find", "gawk": "awk", "mawk": "awk", "nawk": "awk", "gsed": "sed",
	"exa": "ls", "eza": "ls", "bat": "cat", "batcat": "cat", "nodejs": "node", "md5": "md5sum",
	"shasum": "sha256sum", "open": "cat", "7z": "unzip", "rsync": "cp", "install": "cp", "gmake": "make",
}

// distance is how many letters must be changed, added, removed or swapped to make one name of another.
func distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(a); i++ {
		before, last, row := rows[0], rows[1], rows[2]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			change := 1
			if a[i-1] == b[j-1] {
				change = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+change)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		rows = [3][]int{last, row, before}
	}
	return rows[1][len(b)]
}
