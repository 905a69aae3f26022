package mcpclient

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"

	"github.com/toolrun/toolrun/registry"
)

// maxName is how many bytes a tool's name may have.
const maxName = 64

// hashed matches names that end as those do that end in a hash, so that no other name can be one of them.
var hashed = regexp.MustCompile(`_[0-9a-f]{10}$`)

// A namer gives tools their names. What it gives depends on the configuration alone, not on which servers are there.
type namer struct {
	servers []string           // all that are configured
	base    *registry.Registry // the other tools
}

// name returns SERVER_TOOL, with a hash at the end if that is not a valid name, or could be the name of another
// server's tool.
func (n *namer) name(server, tool string) string {
	prefix := portable(server) + "_"
	name := prefix + portable(tool)
	first := name[0]
	if first == '-' || first >= '0' && first <= '9' {
		name = "_" + name
	}
	_, taken := n.base.Tool(name)
	if !taken && name == server+"_"+tool && len(name) <= maxName && !hashed.MatchString(name) &&
		!n.ambiguous(server, name) {
		return name
	}
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	suffix := "_" + hex.EncodeToString(sum[:5])
	return name[:min(len(name), maxName-len(suffix))] + suffix
}

// ambiguous reports whether a name could belong to a server with a longer name: hub_x of git, and x of git_hub.
func (n *namer) ambiguous(server, name string) bool {
	for _, other := range n.servers {
		if len(other) > len(server) && strings.HasPrefix(name, portable(other)+"_") {
			return true
		}
	}
	return false
}

// portable is text with underscores in place of what cannot be in a name.
func portable(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, text)
}
