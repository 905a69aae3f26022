// Package vfstest checks stores ([TestStore]) and file systems ([TestFs]) for what package vfs documents. All stores
// and all file systems of this module pass, views included. Use TestFs for an [afero.Fs] that is to replace a project:
//
//	func TestMine(t *testing.T) {
//		vfstest.TestFs(t, func(t *testing.T) afero.Fs {
//			return mine.New(t.TempDir())
//		})
//	}
//
// # What is checked
//
// The checks cover everything that package vfs documents about paths, names, flags, replacing and writing in place,
// renaming, directories, times, permissions and errors, for one user and for several at once. If the file system
// has the method of [vfs.Exclusive], its promise is checked too. An [afero.Fs] cannot show calls, quotas and history:
// TestStore checks these. The effects of a killed process are for a store's own tests.
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

// TestFs checks that a file system behaves as package vfs documents. open returns an empty file system, a new one
// each time; it is called once for each of some hundred subtests, which run one after another. It registers
// clean-up with t.Cleanup.
func TestFs(t *testing.T, open func(t *testing.T) afero.Fs) {
	for _, group := range groups {
		t.Run(group.name, func(t *testing.T) {
			for _, rule := range group.rules {
				t.Run(rule.name, func(t *testing.T) { rule.check(t, open(t)) })
			}
		})
	}
}
