package fsys

import (
	"crypto/sha256"
	"fmt"
	"strings"
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
