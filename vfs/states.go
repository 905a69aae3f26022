package vfs

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/spf13/afero"
)

// States are what a [Project] keeps of sessions of code, whose variables stay from call to call. A state is a file of
// the project that no path leads to: quotas count it, the history has its former contents, undoing a call brings back
// the one of before it, and it is copied and deleted with the project. But neither [afero.Fs] nor the lists of
// [History] show it, and [History].OpenVersion and Restore refuse it.
//
// Whoever has the project can also change its states; what they contain should be sealed. [StatesOf] finds them.
type States interface {
	// ReadState returns a state. The error is fs.ErrNotExist if there is none.
	ReadState(ctx context.Context, id StateID) (data []byte, info StateInfo, err error)

	// WriteState replaces a state as a whole and durably, in a change of the project's call. before is what the state
	// was, as ReadState described it, or the zero StateInfo if there was none; if it is not that any more, nothing
	// changes, and the error is [ErrStateChanged].
	WriteState(ctx context.Context, id StateID, data []byte, before StateInfo) error

	// RemoveState removes a state. The error is fs.ErrNotExist if there is none.
	RemoveState(ctx context.Context, id StateID) error

	// ListStates describes all states, sorted by session and tool.
	ListStates(ctx context.Context) ([]StateInfo, error)

	// LockSession waits until nobody else, in this process or another, has the session's lock, and takes it until
	// unlock is called. It keeps nobody from using the states. Each lock ends with its process at the latest, or soon
	// after.
	LockSession(ctx context.Context, session string) (unlock func(), err error)
}

// A StateID says which state of a project it is.
type StateID struct {
	// Session is the name of the session: see [CheckSession].
	Session string
	// Tool is the name of the tool whose code it is of: lower-case letters and digits.
	Tool string
}

// A StateInfo describes a state.
type StateInfo struct {
	StateID
	// Size is its size in bytes, and Time when it was written.
	Size int64
	Time time.Time
}

// ErrStateChanged means that a state is not what it was.
var ErrStateChanged = errors.New("the session has been changed meanwhile")

// MaxSession is the longest name of a session, in bytes.
const MaxSession = 64

// CheckSession checks the name of a session: 1 to [MaxSession] lower-case letters, digits, "-" and "_", beginning with
// a letter or a digit. The error is fs.ErrInvalid.
func CheckSession(name string) error {
	fail := func(reason string) error {
		return fmt.Errorf("%w: the session name %q %s: use up to %d lower-case letters, "+
			"digits, - and _, as in main or chat-7", fs.ErrInvalid, name, reason, MaxSession)
	}
	switch {
	case name == "":
		return fail("is empty")
	case len(name) > MaxSession:
		name = strings.ToValidUTF8(name[:MaxSession], "") + "..."
		return fail("is too long")
	case name[0] == '-' || name[0] == '_':
		return fail("begins with " + name[:1])
	}
	for _, c := range []byte(name) {
		if !isWord(c) && c != '-' && c != '_' {
			return fail("has other characters")
		}
	}
	return nil
}

func isWord(c byte) bool { return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' }

// Check checks an id. The error is fs.ErrInvalid.
func (id StateID) Check() error {
	if err := CheckSession(id.Session); err != nil {
		return err
	}
	if id.Tool == "" || len(id.Tool) > MaxSession || strings.ContainsFunc(id.Tool, func(c rune) bool {
		return c >= 0x80 || !isWord(byte(c))
	}) {
		return fmt.Errorf("%w: %q cannot be the tool of a state", fs.ErrInvalid, id.Tool)
	}
	return nil
}

// String names the state for people.
func (id StateID) String() string { return fmt.Sprintf("session %s of %s", id.Session, id.Tool) }

// stateDir is the directory of states. It is below Reserved, so that no path leads there.
const stateDir = "/" + Reserved + "/sessions/"

// Path returns the path that stands for the state in lists of changes by [History].Undo. It can be used for nothing
// else.
func (id StateID) Path() string { return stateDir + id.Tool + "-" + id.Session }

// ParseStatePath returns the state that a path of a change stands for. ok is false if it is that of a file.
func ParseStatePath(name string) (id StateID, ok bool) {
	base, ok := strings.CutPrefix(name, stateDir)
	if !ok {
		return StateID{}, false
	}
	id.Tool, id.Session, ok = strings.Cut(base, "-")
	return id, ok && id.Check() == nil
}

// StatesOf returns the states of the project behind a file system. ok is false if there is none, or only a part of it
// is seen: sessions that see different files do not share variables.
func StatesOf(files afero.Fs) (states States, ok bool) {
	switch f := files.(type) {
	case States:
		return f, true
	case interface{ States() (States, bool) }:
		return f.States()
	}
	return nil, false
}

// WithStates returns a view of a file system that keeps the states of sessions elsewhere, such as in a project in
// memory.
func WithStates(files afero.Fs, states States) afero.Fs {
	again := func(files afero.Fs) afero.Fs { return WithStates(files, states) }
	return &otherStates{NewView(files, again), states}
}

type otherStates struct {
	View
	states States
}

// States is what [StatesOf] asks.
func (v *otherStates) States() (States, bool) { return v.states, true }
