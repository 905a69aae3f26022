// Package ownversion knows which version of toolrun a program contains, for what is kept longer than the program runs.
package ownversion

import (
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
)

const path = "github.com/toolrun/toolrun"

// Get returns the version as Go records it, such as v0.1.0. It is "(devel)" in a build that has none.
var Get = sync.OnceValue(func() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "(devel)"
	}
	own := &info.Main
	if own.Path != path {
		if i := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == path }); i >= 0 {
			own = info.Deps[i]
		}
	}
	if own.Path != path || own.Version == "" {
		return "(devel)"
	}
	return own.Version
})

// Difference is a clause such as ": toolrun v0.2.0 made it, and this is v0.1.0" for the error of something that this
// version cannot use. It is empty if the same version has made it, or if maker is.
func Difference(maker string) string {
	if maker == "" || maker == Get() {
		return ""
	}
	return fmt.Sprintf(": toolrun %s made it, and this is %s", maker, Get())
}
