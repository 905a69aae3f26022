package textfile

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/internal/text/filetext"
	"github.com/toolrun/toolrun/internal/text/filetype"
	"github.com/toolrun/toolrun/tool"
)

// Text returns the text of a file, or of some of its lines: "10-20", "10-", "-20" or "15". The note says what is
// special about the text, or is empty.
func (t Tree) Text(name, lines string) (text, note string, err error) {
	content, err := t.Read(name)
	if err != nil {
		return "", "", err
	}
	decoded, form, ok := filetext.Decode(content)
	if !ok {
		return "", "", tool.Errorf("it is a binary file (%s)", filetype.MIME(content))
	}
	if lines == "" {
		return string(decoded), form.Note(), nil
	}
	total := countLines(decoded)
	from, to, isRange := strings.Cut(lines, "-")
	first, last := numberOr(from, 1), numberOr(to, total)
	if !isRange {
		last = first
	}
	if first < 1 || last < first || first > total {
		return "", "", tool.Errorf("it has no lines %s; there are lines 1 to %d", lines, total)
	}
	if last > total {
		last, note = total, fmt.Sprintf("The file ends at line %d. ", total)
	}
	text = strings.TrimSuffix(string(between(decoded, first, last, total)), "\n")
	return text, strings.TrimSpace(note + form.Note()), nil
}

// numberOr returns the number that digits are, the largest one if they are too many, or another one without digits.
func numberOr(digits string, otherwise int) int {
	if digits == "" {
		return otherwise
	}
	n, _ := strconv.Atoi(digits)
	return n
}
