package service

import (
	"context"
	"errors"

	"github.com/toolrun/toolrun"
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
	// Name is for logs, and for who has decided.
	Name string
	Role Role
	// Client is who makes the calls: see [toolrun.SessionOptions]. Empty means the page, with the name. What is limited
	// for one access, such as how many streams of events it has, is limited for all of one client together.
	Client string
	// Project is the only project. Empty means all of them.
	Project string
	// Makes means that a project that does not exist is made when its settings are changed.
	Makes bool
	// Store opens the projects. Nil means the desk's.
	Store vfs.Store
	// Select, if not nil, changes what is chosen for the project. The tools that it leaves enabled are the only ones,
	// and nobody chooses others with this access.
	Select func(registry.Selection) registry.Selection
	// Limits are those of calls. The zero value means the desk's.
	Limits registry.Limits

	// Files, if not nil, are those of Project, which whoever asks has opened, as the call that changes are part of, and
	// closes. Operations on files, history, checkpoints and sessions of code use them instead of a store's, and their
	// answers are whole unless a limit is asked for.
	Files vfs.Project
	// NoFiles means that files are not read but with tools: neither they nor what was changed in them is shown.
	NoFiles bool
	// Session, if not nil, opens the project with what calls may do, as another door has it, such as MCP: calls are
	// made as by a model, with the options that are chosen. Project is required then.
	Session func(ctx context.Context) (*toolrun.Session, error)
	// Allow, if not nil, counts a request, and reports whether it may be made now.
	Allow func() bool
	// Call, if not nil, calls do when there is a place for another call, or returns the error that kept it from that.
	Call func(ctx context.Context, do func(ctx context.Context)) error
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
func (a *Access) sees(c CallInfo) bool { return a.role() != Model || c.Client == a.client() }

// Holder identifies whoever has the access, and is the same when their rights have changed. It can be compared.
func (a *Access) Holder() any { return [2]string{a.client(), a.Project} }

// Same reports whether another access is for the same holder and the same rights.
func (a *Access) Same(other *Access) bool {
	return a == other || a.Session == nil && other.Session == nil && a.Holder() == other.Holder() &&
		a.role() == other.role() && a.NoFiles == other.NoFiles && a.Store == other.Store
}

// call does a call, which waits for a place if somebody has only so many.
func (a *Access) call(ctx context.Context, do func(ctx context.Context)) error {
	if a.Call == nil {
		do(ctx)
		return nil
	}
	return a.Call(ctx, do)
}
