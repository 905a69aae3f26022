package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tools/javascript"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// projectFlags say which project a command works on.
type projectFlags struct {
	id   string
	root string
	data string
	lib  string
	cmd  *cobra.Command
	// dir says how the directory given with --root is used.
	dir     toolrun.DirOptions
	overlay bool
	// checkpoint says when calls make checkpoints.
	checkpoint checkpointFlag
	// ask are rules for calls that need approval.
	ask []string

	noFiles error // why session returned a session without files

	mu       sync.Mutex
	database database // nil for directories
}

func (f *projectFlags) host() *Host { return hostOf(f.cmd) }

// rootPath is where the directory given with --root is.
func (f *projectFlags) rootPath() string { return f.host().path(f.root) }

func (f *projectFlags) add(cmd *cobra.Command) {
	f.addStore(cmd)
	f.addRoot(cmd)
	cmd.MarkFlagsMutuallyExclusive("project", "root")
}

// addRoot adds --root and the flags that go with it, for commands that have --data.
func (f *projectFlags) addRoot(cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar(&f.root, "root", "", "work on the files in `DIR`, and nothing outside it")
	cmd.MarkFlagsMutuallyExclusive("data", "root")
	cmd.PersistentFlags().BoolVar(&f.dir.ReadOnly, "read-only", false, "with --root, change nothing")
	cmd.PersistentFlags().BoolVar(&f.overlay, "overlay", false,
		"with --root, keep changes apart from the directory until toolrun files apply")
	cmd.MarkFlagsMutuallyExclusive("read-only", "overlay")
	cmd.PersistentFlags().StringSliceVar(&f.dir.Protect, "protect", nil,
		"with --root, let nothing change files and directories of this `NAME`, as for .git and the like (repeatable)")
	cmd.PersistentFlags().StringSliceVar(&f.dir.Unprotect, "unprotect", nil,
		"with --root, let this protected `NAME` be changed, or * for all (repeatable)")
}

// unprotectNote says what a person can do about an error that says that something is protected.
func unprotectNote(text string) string {
	if !strings.Contains(text, "is protected, because other programs may execute it") { // as [vfs.ProtectedError] says
		return ""
	}
	return "(--unprotect NAME lets it be changed)"
}

// checkRoot refuses flags that need --root without it, and finds the layer of --overlay, or the place for the history.
func (f *projectFlags) checkRoot() (err error) {
	for name, names := range map[string][]string{"protect": f.dir.Protect, "unprotect": f.dir.Unprotect} {
		if f.cmd.Flags().Changed(name) && len(names) == 0 {
			return fmt.Errorf("--%s needs a NAME", name)
		}
	}
	if f.root != "" {
		if f.overlay {
			f.dir.Layer, err = f.besideRoot("layers")
			return err
		}
		if !local.KeepsOwn(f.rootPath()) {
			// Without a place for it, the history is in the directory itself.
			f.dir.History, _ = f.besideRoot("roots")
		}
		return nil
	}
	for _, name := range []string{"read-only", "overlay", "protect", "unprotect"} {
		if f.cmd.Flags().Changed(name) {
			return fmt.Errorf("--%s needs --root DIR", name)
		}
	}
	return nil
}

// rootOptions are those of the directory given with --root.
func (f *projectFlags) rootOptions() *vfs.Options {
	return &vfs.Options{
		// Existing files do not count for the quota: no tool made them.
		Quota:   vfs.Quota{Growth: true},
		Protect: f.dir.Protect, Unprotect: f.dir.Unprotect, ReadOnly: f.dir.ReadOnly,
	}
}

// addStore adds the flags that name a project of a store.
func (f *projectFlags) addStore(cmd *cobra.Command) {
	cmd.PersistentFlags().StringVar(&f.id, "project", "default", "work on the project `ID`")
	cmd.PersistentFlags().StringVar(&f.data, "data", "",
		"keep projects in `DIR`, or a database if it is postgres://...\n"+
			"(default $TOOLRUN_DATA, else the user's data directory)")
	f.cmd = cmd
}

// addLib adds --lib, for commands that run code or describe it.
func (f *projectFlags) addLib(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.lib, "lib", "",
		"run the scripts in `DIR` of the project before the code (default /lib; none with --root)")
}

// addCheckpoint adds --checkpoint, for commands that call tools.
func (f *projectFlags) addCheckpoint(cmd *cobra.Command) {
	cmd.Flags().Var(&f.checkpoint, "checkpoint",
		"`WHEN` to keep all files under a name: before each call that may change\n"+
			"some, or never; otherwise calls of tools do as the project's settings say;\nsee toolrun checkpoint")
}

// A checkpointFlag is the value of --checkpoint: a mode, or nothing if the project's settings choose it.
type checkpointFlag string

func (c *checkpointFlag) String() string { return string(*c) }

func (c *checkpointFlag) Set(text string) error {
	_, err := registry.ParseCheckpointMode(text)
	*c = checkpointFlag(text)
	return err
}

func (c *checkpointFlag) Type() string { return "string" }

// name is the project's name for people.
func (f *projectFlags) name() string {
	if f.root != "" {
		if whole, err := filepath.Abs(f.rootPath()); err == nil {
			return filepath.Base(whole) // "." is no name
		}
		return filepath.Base(f.root)
	}
	return f.id
}

// given reports whether the user named a project.
func (f *projectFlags) given() bool {
	for _, name := range []string{"project", "root", "data"} {
		if f.cmd.Flags().Changed(name) {
			return true
		}
	}
	return false
}

// open opens the project.
func (f *projectFlags) open(ctx context.Context) (vfs.Project, error) {
	if err := f.checkRoot(); err != nil {
		return nil, err
	}
	switch {
	case f.root == "":
	case f.dir.Layer != "":
		return local.OpenLayer(f.rootPath(), f.dir.Layer, f.rootOptions())
	case f.dir.History != "":
		return local.OpenDirApart(f.rootPath(), f.dir.History, f.rootOptions())
	default:
		return local.OpenDir(f.rootPath(), f.rootOptions())
	}
	store, err := f.store(nil)
	if err != nil {
		return nil, err
	}
	project, err := store.Open(ctx, f.id)
	return project, errors.Join(err, store.Close())
}

// existing opens the project if it exists. Otherwise the error is fs.ErrNotExist, and nothing is made.
func (f *projectFlags) existing(ctx context.Context) (vfs.Project, error) {
	if err := f.checkRoot(); err != nil {
		return nil, err
	}
	if f.root != "" {
		return f.open(ctx)
	}
	var project vfs.Project
	err := f.inStore(func(store vfs.Store) (err error) {
		project, err = store.OpenExisting(ctx, f.id)
		if errors.Is(err, fs.ErrNotExist) {
			err = missingProject(ctx, store, f.id)
		}
		return err
	})
	if errors.Is(err, errNoProjects) {
		if err := vfs.CheckID(f.id); err != nil {
			return nil, err
		}
		err = &noProjectError{"no project named " + f.id}
	}
	return project, err
}

// reading opens the project for a command that makes none. If the user named no project and the default one does not
// exist, it is an empty one in memory.
func (f *projectFlags) reading(ctx context.Context) (vfs.Project, error) {
	project, err := f.existing(ctx)
	if errors.Is(err, fs.ErrNotExist) && f.root == "" && !f.cmd.Flags().Changed("project") {
		return local.NewMemoryStore(nil).Open(ctx, f.id)
	}
	return project, err
}

// editing opens the project for a command that may change nothing: only the default one is made if it does not exist.
func (f *projectFlags) editing(ctx context.Context) (vfs.Project, error) {
	project, err := f.existing(ctx)
	if errors.Is(err, fs.ErrNotExist) && f.root == "" && !f.cmd.Flags().Changed("project") {
		return f.open(ctx)
	}
	return project, err
}

// missingProject is the error for a project that does not exist. It names one with a similar id.
func missingProject(ctx context.Context, store vfs.Store, id string) error {
	ids, _ := store.List(ctx, "", 0)
	// Commands are suggested in the same way.
	names := &cobra.Command{SuggestionsMinimumDistance: 2}
	for _, id := range ids {
		names.AddCommand(&cobra.Command{Use: id, Run: func(*cobra.Command, []string) {}})
	}
	if similar := names.SuggestionsFor(id); len(similar) > 0 {
		return &noProjectError{fmt.Sprintf("no project named %s; did you mean %s?", id, similar[0])}
	}
	return &noProjectError{"no project named " + id}
}

// A noProjectError is fs.ErrNotExist.
type noProjectError struct{ text string }

func (e *noProjectError) Error() string { return e.text }
func (e *noProjectError) Unwrap() error { return fs.ErrNotExist }

// errNoProjects is the error of inStore if there is no store yet.
var errNoProjects = errors.New("there are no projects")

// inStore calls do with the store, if it exists.
func (f *projectFlags) inStore(do func(store vfs.Store) error) error {
	switch there, err := f.hasStore(); {
	case err != nil:
		return err
	case !there:
		return errNoProjects
	}
	store, err := f.store(nil)
	if err != nil {
		return err
	}
	return errors.Join(do(store), store.Close())
}

// session returns a session for calls on the project. If the user named no project and the default one cannot be
// opened, the session has no files: not all tools need them.
func (f *projectFlags) session(ctx context.Context, r *runner, options *toolrun.SessionOptions) (*toolrun.Session,
	error) {
	if err := f.checkRoot(); err != nil {
		return nil, err
	}
	options = f.withFlags(options)
	if f.root != "" {
		session, err := r.DirSession(f.rootPath(), options)
		if err != nil {
			return nil, err
		}
		return session, f.checkLib(session.Project())
	}
	project, err := f.open(ctx)
	if err != nil && f.given() {
		return nil, err
	}
	f.noFiles = err
	session, err := r.ProjectSession(f.id, project, options)
	if err != nil {
		return nil, err
	}
	return session, f.checkLib(project)
}

// sealKey returns the secret of the store, or, for a directory, that of the store in the user's data directory.
func (f *projectFlags) sealKey(ctx context.Context) ([]byte, error) {
	return vfs.SealKey(ctx, f.records())
}

// openMount opens another project of the store.
func (f *projectFlags) openMount(ctx context.Context, id string) (vfs.Project, error) {
	store, err := f.store(nil)
	if err != nil {
		return nil, err
	}
	project, err := store.OpenExisting(ctx, id)
	return project, errors.Join(err, store.Close())
}

// withMounts returns the project with those that its settings mount. It closes the project if it fails.
func (f *projectFlags) withMounts(ctx context.Context, project vfs.Project) (vfs.Project, error) {
	if f.root != "" { // whose settings can be anybody's
		return project, nil
	}
	settings, err := project.Settings(ctx)
	if err != nil {
		return nil, errors.Join(err, project.Close())
	}
	mounts, err := vfs.ParseMounts(settings)
	if err == nil {
		var whole vfs.Project
		if whole, err = vfs.OpenMounts(project, f.id, mounts, func(m vfs.Mount) (vfs.Project, error) {
			return f.openMount(ctx, m.Project)
		}); err == nil {
			return whole, nil
		}
	}
	return nil, errors.Join(err, project.Close())
}

// service returns the operations on the project's files, which the caller has opened. They run nothing.
func (f *projectFlags) service(files vfs.Project) (*service.Service, error) {
	return f.serviceOf(nil, files)
}

// serviceOf is service with a runner, for what runs code.
func (f *projectFlags) serviceOf(runner *toolrun.Runner, files vfs.Project) (*service.Service, error) {
	desk, err := service.New(runner, &service.Options{SealKey: f.sealKey})
	if err != nil {
		return nil, err
	}
	return desk.Open(&service.Access{Name: "command", Role: service.Operator, Project: f.name(), Files: files}), nil
}

// checkLib checks that --lib names a directory of the project.
func (f *projectFlags) checkLib(project vfs.Project) error {
	if f.lib == "" || project == nil {
		return nil
	}
	info, err := project.Stat(f.lib)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is not a directory", f.lib)
	}
	if err != nil {
		return fmt.Errorf("--lib names a directory of the project: %w", err)
	}
	return nil
}

// look is session for commands that change nothing.
func (f *projectFlags) look(ctx context.Context, r *runner, options *toolrun.SessionOptions) (*toolrun.Session, error) {
	if err := f.checkRoot(); err != nil {
		return nil, err
	}
	options = f.withFlags(options)
	if f.root != "" {
		return r.DirSession(f.rootPath(), options)
	}
	project, err := f.existing(ctx)
	missing := errors.Is(err, fs.ErrNotExist) && !f.cmd.Flags().Changed("project")
	if missing || err != nil && !f.given() {
		return r.Session(ctx, f.id, options) // in memory
	}
	if err != nil {
		return nil, err
	}
	return r.ProjectSession(f.id, project, options)
}

// withFlags returns options that apply --lib and the flags that go with --root, and that find mounted projects.
func (f *projectFlags) withFlags(options *toolrun.SessionOptions) *toolrun.SessionOptions {
	var o toolrun.SessionOptions
	if options != nil {
		o = *options
	}
	o.Dir = f.dir
	o.OpenMount, o.SealKey = f.openMount, f.sealKey
	if f.root == "" {
		f.mu.Lock()
		o.Watched = f.database
		f.mu.Unlock()
	}
	f.keeping(&o, f.id)
	o.Approve = f.approver()
	o.Select = f.selecting(o.Select)
	return &o
}

// selecting adds what --ask, --checkpoint and --lib choose to what choose selects, which may be nil.
func (f *projectFlags) selecting(
	choose func(registry.Selection) registry.Selection) func(registry.Selection) registry.Selection {
	choose = f.choose(choose)
	if f.lib == "" {
		return choose
	}
	return func(s registry.Selection) registry.Selection {
		if choose != nil {
			s = choose(s)
		}
		s = s.WithOption(javascript.Name, javascript.OptionLoadLib, true)
		return s.WithOption(javascript.Name, javascript.OptionLib, f.lib)
	}
}

// choose adds the rules of --ask, and what --checkpoint says, to what chosen selects, which may be nil.
func (f *projectFlags) choose(
	chosen func(registry.Selection) registry.Selection) func(registry.Selection) registry.Selection {
	return func(s registry.Selection) registry.Selection {
		if chosen != nil {
			s = chosen(s)
		}
		s.Ask = append(slices.Clone(s.Ask), f.ask...)
		if f.checkpoint != "" {
			s.Settings.Checkpoint, _ = registry.ParseCheckpointMode(string(f.checkpoint)) // Set has checked it
		}
		return s
	}
}

// store opens the store of projects, and makes it if it does not exist.
func (f *projectFlags) store(options *vfs.Options) (vfs.Store, error) {
	data, err := f.place()
	if err != nil {
		return nil, err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.database != nil {
		return f.database.With(options)
	}
	store, err := f.host().openStore(f.cmd.Root().Context(), data, options)
	if err != nil {
		return nil, fmt.Errorf("opening the store of projects: %w", err)
	}
	if d, ok := store.(database); ok { // whose connections last as long as the command
		f.database = d
		return d.With(options)
	}
	return store, nil
}

// A database is a store whose connections other ones can share.
type database interface {
	vfs.Store
	With(options *vfs.Options) (vfs.Store, error)
}

// place is where projects are: the data directory, or a database.
func (f *projectFlags) place() (string, error) {
	if f.data != "" {
		return f.data, nil
	}
	if data := f.host().getenv("TOOLRUN_DATA"); isDatabase(data) {
		return data, nil
	}
	return f.dataDir()
}

// dataDir is the data directory. With a database, that is the user's.
func (f *projectFlags) dataDir() (string, error) {
	if f.data != "" && !isDatabase(f.data) {
		return f.host().path(f.data), nil
	}
	if dir := f.host().getenv("TOOLRUN_DATA"); dir != "" && !isDatabase(dir) {
		return f.host().path(dir), nil
	}
	dir, err := f.host().dirs().Data()
	if err != nil {
		return "", fmt.Errorf("%w: set TOOLRUN_DATA, or use --data or --root", err)
	}
	return dir, nil
}

// hasStore reports whether there is a store yet.
func (f *projectFlags) hasStore() (bool, error) {
	place, err := f.place()
	if err != nil || isDatabase(place) {
		return err == nil, err
	}
	_, err = f.host().stat(filepath.Join(place, "projects"))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// newCall makes the id of a call, by which the changes of one command are undone.
func newCall(command string) string { return command + "-" + strings.ToLower(rand.Text()[:8]) }
