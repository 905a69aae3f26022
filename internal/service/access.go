package service

import (
	"context"
	"errors"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/calls"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs"
)

// A Role is what somebody may do in their projects. The zero value is that of a model.
type Role string

const (
	// Model is for clients of MCP: they call their tools, see their own calls, and read files.
	Model Role = "model"
	// Person is for people: all that concerns the projects that are theirs.
	Person Role = "person"
	// Operator is for whoever runs the server: also what concerns all projects, and the host.
	Operator Role = "operator"
)

// ErrUnknownRole is the error of a name that is not one of a role.
var ErrUnknownRole = errors.New("a role is model, person or operator")

// ParseRole returns the role of a name. No name is that of a model.
func ParseRole(name string) (Role, error) {
	switch role := Role(name); role {
	case "":
		return Model, nil
	case Model, Person, Operator:
		return role, nil
	}
	return "", ErrUnknownRole
}

// A Right is for operations of one kind.
type Right int

const (
	// Run calls tools, follows and stops calls, and says what tools there are.
	Run Right = 1 << iota
	// Read reads files as they are.
	Read
	// Write changes files, and sees and takes back what was changed.
	Write
	// Decide approves and refuses calls that wait.
	Decide
	// Settings changes which tools there are, and what they may do.
	Settings
	// Operate makes and deletes projects, and sees what is the host's.
	Operate
)

// rights are those of each role.
var rights = map[Role]Right{
	Model:    Run | Read,
	Person:   Run | Read | Write | Decide | Settings,
	Operator: Run | Read | Write | Decide | Settings | Operate,
}

// An Access is what somebody may use: a token's, a login's, or a local user's. Do not change it once it is used.
type Access struct {
	// Name is for logs, and for who has decided. Role says which rights there are.
	Name string
	Role Role
	// Client is who makes the calls: see [toolrun.SessionOptions]. Empty means the page, with the name. A model sees
	// the calls of its Client only, and what is limited for one access, such as how many streams of events it has, is
	// limited for all of one client together.
	Client string
	// Project is the only project. Empty means all of them, unless Session is set.
	Project string
	// Makes means that a project that does not exist is made when its settings are changed.
	Makes bool
	// Store opens the desk's projects for this access: with its quota, and not those that it may not have. Nil means
	// the desk's store. What waits for approval, the calls that are known, and secrets are always the desk's.
	Store vfs.Store
	// Select, if not nil, changes what is chosen for a project, after the desk's. Nobody changes settings with this
	// access, and options of a call cannot differ from those that Select leaves.
	Select func(registry.Selection) registry.Selection
	// Limits are those of calls that are not made by Session, which has its own. The zero value means the desk's.
	Limits registry.Limits

	// Files, if not nil, is Project, which whoever asks has opened, and closes. Operations on files, history,
	// checkpoints and sessions of code use it instead of opening the project. Their changes are part of the call that
	// it was opened for, and their answers are whole unless a limit is asked for.
	Files vfs.Project
	// NoFiles takes away the right to read files: neither they nor what was changed in them is shown. Tools still read
	// them.
	NoFiles bool
	// Session, if not nil, opens Project, which is required then, with what its calls may do, as another door has it,
	// such as MCP: its options and limits hold for all calls.
	Session func(ctx context.Context) (*toolrun.Session, error)
	// Allow, if not nil, counts a request, and reports whether it may be made now.
	Allow func() bool
	// Call, if not nil, calls do when there is a place for another call, or returns the error that kept it from that.
	Call func(ctx context.Context, do func(ctx context.Context)) error
	// Until, if not nil, ends when the access does, such as that of a token that is removed or changed. Calls of the
	// access are stopped then. Whoever serves its requests ends those, and with them streams of events.
	Until context.Context
}

// Has reports whether somebody has a right in the projects that are theirs.
func (a *Access) Has(right Right) bool {
	has := rights[a.role()]
	if a.NoFiles {
		has &^= Read
	}
	return has&right == right
}

func (a *Access) role() Role {
	if a.Role == "" {
		return Model
	}
	return a.Role
}

// Allows reports whether a request may be made now, and counts it.
func (a *Access) Allows() bool { return a.Allow == nil || a.Allow() }

// May returns why somebody may not do what needs a right, or nil.
func (a *Access) May(right Right) error {
	if a.Has(right) {
		return nil
	}
	message := "this token is for the use of one project"
	switch {
	case a.NoFiles && rights[a.role()]&right == right:
		message = "this token may not read files"
	case a.role() == Model:
		message = "this token is a model's: it may call its tools and read files; " +
			"the rest is for a person, with a token that has the role person, or with toolrun's commands, " +
			"where the projects are"
	}
	return &Error{Code: "forbidden", Message: message}
}

// client is who makes the calls.
func (a *Access) client() string {
	if a.Client != "" {
		return a.Client
	}
	return "page (" + a.Name + ")"
}

// sees reports whether somebody may see a call: a model sees its own.
func (a *Access) sees(c calls.Call) bool { return a.role() != Model || c.Client == a.client() }

// Holder identifies whoever has the access, and is the same when their rights have changed. It can be compared.
func (a *Access) Holder() any { return [2]string{a.client(), a.Project} }

// Same reports whether another access is for the same holder and the same rights.
func (a *Access) Same(other *Access) bool {
	return a == other || a.Session == nil && other.Session == nil && a.Holder() == other.Holder() &&
		a.role() == other.role() && a.NoFiles == other.NoFiles && a.Store == other.Store
}

// errEnded is why a call is stopped whose access has ended.
var errEnded = errors.New("the token was removed or changed")

// call does a call, which waits for a place if somebody has only so many, and ends with the access.
func (a *Access) call(ctx context.Context, do func(ctx context.Context)) error {
	if a.Until != nil {
		var cancel context.CancelCauseFunc
		ctx, cancel = context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(a.Until, func() { cancel(errEnded) })()
	}
	if a.Call == nil {
		do(ctx)
		return nil
	}
	return a.Call(ctx, do)
}
