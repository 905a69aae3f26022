package fsys

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"unicode"
)

// CallID returns the id of a call as the history has it: short, and different from the number of a change.
func CallID(id string) string {
	const limit, part = 256, 180
	id = strings.ToValidUTF8(id, "\uFFFD")
	if strings.HasPrefix(id, "#") {
		id = "call " + id
	}
	if len(id) > limit {
		id = fmt.Sprintf("%s...%x", strings.ToValidUTF8(id[:part], ""), sha256.Sum256([]byte(id)))
	}
	return id
}

// FoldID maps ids that differ in case only to the same text, as [strings.EqualFold] compares them.
func FoldID(id string) string {
	return strings.Map(func(c rune) rune {
		least := c
		for next := unicode.SimpleFold(c); next != c; next = unicode.SimpleFold(next) {
			least = min(least, next)
		}
		return least
	}, id)
}
