// Package ownversion knows which version of toolrun a program contains, for what is kept longer than the program runs.
package ownversion

import (
	"cmp"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"

	"github.com/toolrun/toolrun/internal/text/lazyregexp"
)

const path = "github.com/toolrun/toolrun"

// Get returns the version as Go records it, such as v0.1.0. It is "(devel)" in a build that has none.
func Get() string { return cmp.Or(own().Version, "(devel)") }

// Fetched says whether Go has fetched the source, which then has a checksum, as go install PACKAGE@VERSION does.
func Fetched() bool { return own().Sum != "" }

// Published returns the version if Go can get it, and otherwise "".
func Published() string { return published(own()) }

// Released returns the version if it is that of a release, whose files can be downloaded, and otherwise "".
func Released() string { return released(own()) }

// own is toolrun among the modules of the program.
var own = sync.OnceValue(func() debug.Module {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return debug.Module{}
	}
	if info.Main.Path == path {
		return info.Main
	}
	if i := slices.IndexFunc(info.Deps, func(m *debug.Module) bool { return m.Path == path }); i >= 0 {
		return *info.Deps[i]
	}
	return debug.Module{}
})

// ofCommit matches a version that Go makes of a commit: see https://go.dev/ref/mod#pseudo-versions.
var ofCommit = lazyregexp.New(`[-.]\d{14}-[0-9a-f]{12}$`)

// published: Go names a build of a checkout by its tag, or by its commit, which nobody else need have.
func published(own debug.Module) string {
	if own.Replace != nil || !strings.HasPrefix(own.Version, "v") || strings.Contains(own.Version, "+") ||
		own.Sum == "" && ofCommit().MatchString(own.Version) {
		return ""
	}
	return own.Version
}

func released(own debug.Module) string {
	if version := published(own); !ofCommit().MatchString(version) {
		return version
	}
	return ""
}

// Difference is a clause such as ": toolrun v0.2.0 made it, and this is v0.1.0" for the error of something that this
// version cannot use. It is empty if the same version has made it, or if maker is.
func Difference(maker string) string {
	if maker == "" || maker == Get() {
		return ""
	}
	return fmt.Sprintf(": toolrun %s made it, and this is %s", maker, Get())
}
