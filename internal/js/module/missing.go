package module

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

const (
	maxEntries  = 1000 // entries of a directory that are compared
	maxCompared = 64   // bytes of a name that is compared
	maxSimilar  = 5    // names that an error shows
	maxShown    = 40   // built-in modules that an error shows
)

// builtins returns a sentence that lists the built-in modules.
func (l *Loader) builtins() string {
	if len(l.Builtins) == 0 {
		return "There are no built-in modules."
	}
	names := slices.Sorted(slices.Values(l.Builtins))
	more := ""
	if len(names) > maxShown {
		names, more = names[:maxShown], ", ..."
	}
	return "Built-in modules are: " + strings.Join(names, ", ") + more + "."
}

// noBuiltin explains that a built-in module does not exist, and names its replacement.
func (l *Loader) noBuiltin(name string) string {
	reason := "there is no such built-in module. "
	if instead := l.Instead[name]; instead != "" {
		reason = "there is no such module here: " + instead + ". "
	}
	return reason + l.builtins()
}

// missing explains that a file does not exist, and says what exists instead.
func (l *Loader) missing(name string) string {
	dir := path.Dir(name)
	if dir != "/" && !l.isDir(dir) {
		return fmt.Sprintf("there is no directory %s.", quotePath(dir))
	}
	reason := fmt.Sprintf("there is no file %s.", quotePath(name))
	if l.isDir(name) {
		reason = fmt.Sprintf("%s is a directory without package.json and index.js.", quotePath(name))
	}
	if similar := l.similar(dir, path.Base(name)); similar != "" {
		reason += " " + similar
	}
	return reason
}

func quotePath(name string) string {
	if len(name) > maxQuoted {
		return name[:maxQuoted] + "..."
	}
	return name
}

// similar lists files in a directory whose names resemble a name, or else some others. It returns "" for an empty
// directory.
func (l *Loader) similar(dir, name string) string {
	if !l.isDir(dir) {
		return ""
	}
	f, err := l.Files.Open(dir)
	if err != nil {
		return ""
	}
	defer f.Close()
	entries, _ := f.Readdirnames(maxEntries) // the entries read before an error suffice
	type candidate struct {
		name     string
		distance int
	}
	candidates, others := []candidate{}, []string{}
	for _, entry := range entries {
		entry = path.Base(entry)
		if len(entry) > 2*maxCompared || checkPath(entry) != "" || strings.HasPrefix(entry, ".") {
			continue
		}
		a, b := stem(name), stem(entry)
		d := distance(a, b)
		if d <= max(1, min(len(a), len(b))/3) ||
			len(a) > 2 && len(b) > 2 && (strings.Contains(a, b) || strings.Contains(b, a)) {
			candidates = append(candidates, candidate{entry, d})
		} else {
			others = append(others, entry)
		}
	}
	if len(candidates) == 0 && len(others) > 0 {
		slices.Sort(others)
		more := ""
		if len(others) > maxSimilar {
			others, more = others[:maxSimilar], ", ..."
		}
		return fmt.Sprintf("In %s there are: %s%s.", quotePath(dir), strings.Join(others, ", "), more)
	}
	if len(candidates) == 0 {
		return ""
	}
	slices.SortFunc(candidates, func(a, b candidate) int {
		if a.distance != b.distance {
			return a.distance - b.distance
		}
		return strings.Compare(a.name, b.name)
	})
	names := []string{}
	for _, c := range candidates[:min(len(candidates), maxSimilar)] {
		names = append(names, c.name)
	}
	return fmt.Sprintf("Similar names in %s: %s.", quotePath(dir), strings.Join(names, ", "))
}

// stem returns the part of a name that is compared.
func stem(name string) string {
	name = strings.ToLower(strings.TrimSuffix(name, path.Ext(name)))
	return name[:min(len(name), maxCompared)]
}

// distance returns the edit distance of two names, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
