package vfs

import (
	"context"
	"fmt"
	"strings"
	"syscall"
)

// A Layer is a [Project] that shows files which it never changes by itself. Its changes are kept apart from them, in a
// layer, until they are applied or discarded.
type Layer interface {
	Project
	// Differences lists what is different in the layer, in the order in which Apply does it.
	Differences(ctx context.Context) ([]Difference, error)
	// Apply makes the layer's changes to the files, at the named paths and below them, or everywhere without names, and
	// lists what it has done. It does nothing if one of the differences is a conflict ([*ConflictError]), is protected
	// ([*ProtectedError]) or would remove files that the layer has not shown ([*UncoveredError]), or if there is no
	// difference at one of the names ([ErrNoDifference]). If it fails in the middle, the rest stays in the layer, and
	// applying again continues.
	Apply(ctx context.Context, names ...string) ([]Difference, error)
	// Discard drops the layer's differences, conflicts included, at the named paths and below them, or everywhere
	// without names, and lists them. If there is no difference at one of the names, it does nothing, and the error is
	// [ErrNoDifference]. The history does not contain this.
	Discard(ctx context.Context, names ...string) ([]Difference, error)
	// Below opens the files themselves, which cannot be changed so. Close them.
	Below() (Project, error)
}

// ErrNoDifference means that a [Layer] has no difference at a path or below it. It is fs.ErrNotExist.
var ErrNoDifference error = missingError("there is no such change")

// A Difference is something that applying a [Layer] does.
type Difference struct {
	// Path is a file or directory, and Op what is done to it: [OpCreate], [OpWrite], [OpMkdir] or [OpRemove].
	Path string
	Op   Op
	// Conflict means that others have changed the file since the layer has covered it.
	Conflict bool
}

// A ConflictError means that a layer cannot be applied: others have changed files since the layer has covered them.
type ConflictError struct {
	// Paths are these files and directories.
	Paths []string
}

func (e *ConflictError) Error() string {
	return fmt.Sprintf("changed by others since: %s; discard these changes, or apply the others by name",
		strings.Join(e.Paths, ", "))
}

// An UncoveredError means that moving a directory in a [Layer], or applying its removal, would lose something in it
// that no layer can hold: a link, a special file, or something that no path leads to. It is syscall.EXDEV. Nothing has
// been changed.
type UncoveredError struct {
	// Path is where it is. That need not be a path that can be used.
	Path string
}

func (e *UncoveredError) Error() string {
	return fmt.Sprintf("%q would be lost, because no layer can hold it", e.Path)
}

// Unwrap makes errors.Is hold for syscall.EXDEV.
func (e *UncoveredError) Unwrap() error { return syscall.EXDEV }
