package mcpclient

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
	"github.com/toolrun/toolrun/registry"
)

// maxName limits a tool's name, in bytes.
const maxName = 64

// hashed matches names that look as if they ended in a hash. They get a hash as well, so that no name can imitate
// another.
var hashed = lazyregexp.New(`_[0-9a-f]{10}$`)

// A namer gives tools their names. They depend on the configuration and not on which servers are connected.
type namer struct {
	servers []string           // all configured servers
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
	if !taken && name == server+"_"+tool && len(name) <= maxName && !hashed().MatchString(name) &&
		!n.ambiguous(server, name) {
		return name
	}
	sum := sha256.Sum256([]byte(server + "\x00" + tool))
	suffix := "_" + hex.EncodeToString(sum[:5])
	return name[:min(len(name), maxName-len(suffix))] + suffix
}

// ambiguous reports whether a name could also belong to a server with a longer name: server git with tool hub_x, and
// server git_hub with tool x.
func (n *namer) ambiguous(server, name string) bool {
	for _, other := range n.servers {
		if len(other) > len(server) && strings.HasPrefix(name, portable(other)+"_") {
			return true
		}
	}
	return false
}

// portable replaces characters that names cannot contain by underscores.
func portable(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '_' || r == '-' {
			return r
		}
		return '_'
	}, text)
}
