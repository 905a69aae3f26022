// Package vfstest checks file systems: [TestFs] finds out whether one behaves as package vfs documents. All that package vfs
// offers passes, views included, and whoever writes an [afero.Fs] to put in the place of a project can see whether
// it does:
//
//	func TestMine(t *testing.T) {
//		vfstest.TestFs(t, func(t *testing.T) afero.Fs {
//			return mine.New(t.TempDir())
//		})
//	}
//
// # What is checked
//
// Everything that package vfs says about paths, names, flags, replacing and writing in place, renaming, directories, times,
// permissions and errors, for one user and for several at once. A file system that also has the method of [vfs.Exclusive] is
// checked for what that promises. Quotas, history and what happens when a process is killed are outside of what an
// [afero.Fs] can show.
//
// Permission bits are not compared on Windows, which does not have them.
package vfstest

import (
	"testing"

	"github.com/spf13/afero"
)

// A rule is one thing that a file system must do. Its check gets an empty one of its own.
type rule struct {
	name  string
	check func(t *testing.T, files afero.Fs)
}

// groups are the rules by what they are about.
var groups = []struct {
	name  string
	rules []rule
}{
	{"as a file system of package io_fs", ioRules},
	{"paths", pathRules},
	{"names", nameRules},
	{"flags", flagRules},
	{"reading and seeking", seekRules},
	{"replacing", replaceRules},
	{"writing in place", inPlaceRules},
	{"files that others change", staleRules},
	{"renaming", renameRules},
	{"making and removing", dirRules},
	{"listing", listRules},
	{"times", timeRules},
	{"permissions", modeRules},
	{"errors", errorRules},
	{"closed handles", closedRules},
	{"concurrency", concurrencyRules},
	{"exclusively", exclusiveRules},
}

// TestFs checks that a file system behaves as package vfs documents. open returns an empty one, each time another; it is called once
// for each of some hundred subtests, which run one after the other. What has to be closed is open's to see to, with t.Cleanup.
func TestFs(t *testing.T, open func(t *testing.T) afero.Fs) {
	for _, group := range groups {
		t.Run(group.name, func(t *testing.T) {
			for _, rule := range group.rules {
				t.Run(rule.name, func(t *testing.T) { rule.check(t, open(t)) })
			}
		})
	}
}
