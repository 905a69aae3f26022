package local_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
	"golang.org/x/text/unicode/norm"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// An operation is one of those that are done to all projects and to the model, which must have the same outcome.
type operation struct {
	// sameCall says that it belongs to the call of the operation before.
	sameCall bool

	kind  string
	a, b  string // paths as they are given
	n     int
	flag  int
	steps []step
}

// A step is something done with an open file.
type step struct {
	kind         string
	size, offset int
	whence       int
}

var (
	operationKinds = []string{
		"afero write", "afero write", "write", "write", "append", "edit", "handle", "handle", "handle", "rename",
		"rename", "remove", "remove all",
		"mkdir", "mkdir all", "mkdir all", "copy", "copy", "move", "chmod", "stat", "readdir", "read",
		"hold", "use held", "use held", "close held",
		"undo", "undo", "undo last call", "undo some call", "restore", "restore", "reopen",
		"checkpoint", "checkpoint", "restore checkpoint", "restore checkpoint", "delete checkpoint",
	}
	stepKinds = []string{"write", "write", "write at", "truncate", "seek", "read", "read at", "sync", "stat"}

	// Spellings are such that many paths meet: a few again and again, the same in other ways, names that are twins, and
	// invalid ones.
	spellings = append(slices.Repeat([]string{"/a", "/b", "/a/x", "/b/x", "/a/x/y", "/c"}, 10),
		"a/", "/A", "//b/.", "a/./x/", "/a/X", "/b/x/y", "/b/../a/x/y", "/A/x", "/é", "/e\u0301", "/É", "/é/x",
		"/E\u0301/x",
		"/c/c/c", "/C/c", "/..", "/../b/y", "", "/.toolrun", "/a/.ToolRun/x", "/a\x00", `a\b`, "/\xff",
		"/"+strings.Repeat("l", 256),
		strings.Repeat("d/", 65))
	openFlags = []int{
		os.O_WRONLY | os.O_CREATE, os.O_RDWR | os.O_CREATE, os.O_RDWR, os.O_WRONLY | os.O_APPEND,
		os.O_RDWR | os.O_CREATE | os.O_APPEND, os.O_RDWR | os.O_CREATE | os.O_EXCL,
		os.O_WRONLY | os.O_CREATE | os.O_TRUNC,
		os.O_RDWR | os.O_CREATE | os.O_TRUNC | os.O_APPEND, os.O_RDWR | os.O_TRUNC,
		os.O_RDWR | os.O_CREATE | os.O_EXCL | os.O_TRUNC,
		os.O_RDONLY, os.O_RDONLY | os.O_CREATE, os.O_RDWR | os.O_SYNC,
		os.O_RDONLY | os.O_TRUNC, os.O_WRONLY | os.O_RDWR, os.O_RDONLY | 1<<30,
	}
)

// input makes operations of bytes.
type input []byte

func (in *input) next(n int) int {
	if len(*in) == 0 {
		return 0
	}
	b := (*in)[0]
	*in = (*in)[1:]
	return int(b) % n
}

func (in *input) operation() (o operation) {
	o.sameCall = in.next(3) == 0
	o.kind = operationKinds[in.next(len(operationKinds))]
	o.a = spellings[in.next(len(spellings))]
	switch o.kind {
	case "rename", "copy", "move":
		o.b = spellings[in.next(len(spellings))]
	case "handle", "hold", "use held":
		o.flag = openFlags[in.next(len(openFlags))]
		for range in.next(4) {
			o.steps = append(o.steps, step{stepKinds[in.next(len(stepKinds))], in.next(200), in.next(256) - 10,
				in.next(4)})
		}
	}
	o.n = in.next(256)
	return o
}

// text is what an operation writes.
func text(n, size int) string {
	return strings.Repeat(string(rune('a'+n%26)), size)
}

// edited is what an operation makes of a content.
func edited(content string, n int) string {
	switch n % 4 {
	case 0:
		return ""
	case 1:
		return content[len(content)/2:]
	}
	return content + text(n, n)
}

// classes are the kinds of errors that are told apart.
var classes = map[string]error{
	"ErrNotExist": fs.ErrNotExist, "ErrExist": fs.ErrExist, "ErrPermission": fs.ErrPermission,
	"ErrInvalid": fs.ErrInvalid, "ErrClosed": fs.ErrClosed,
	"ENOENT": syscall.ENOENT, "EEXIST": syscall.EEXIST, "ENOTDIR": syscall.ENOTDIR, "EISDIR": syscall.EISDIR,
	"ENOTEMPTY": syscall.ENOTEMPTY,
	"EINVAL":    syscall.EINVAL, "ENAMETOOLONG": syscall.ENAMETOOLONG, "ENOSPC": syscall.ENOSPC, "EBUSY": syscall.EBUSY,
	"ESTALE": syscall.ESTALE,
	"EPERM":  syscall.EPERM, "EBADF": syscall.EBADF, "EOF": io.EOF, "ErrNotKept": vfs.ErrNotKept,
}

// class describes an error by what it is.
func class(err error) string {
	if err == nil {
		return "ok"
	}
	var is []string
	for name, target := range classes {
		if errors.Is(err, target) {
			is = append(is, name)
		}
	}
	slices.Sort(is)
	var quota *vfs.QuotaError
	if errors.As(err, &quota) {
		is = append(is, "QuotaError")
	}
	var undo *vfs.UndoError
	if errors.As(err, &undo) {
		is = append(is, "UndoError")
	}
	return "error " + strings.Join(is, "+")
}

// item is a file or directory in a tree, and tree what there is by clean path, without the root.
type (
	item struct {
		dir     bool
		content string
	}
	tree map[string]item
)

// real does operations with a project.
type real struct {
	t       *testing.T
	project vfs.Project
	call    vfs.Project // as the current call sees it
	held    afero.File
	reopen  func() vfs.Project
	// secret is what no error may contain.
	secret string
}

// fails describes an error, and checks that it says no more than it should, and what paths it is about.
func (r *real) fails(err error, paths ...string) string {
	if err != nil && err != io.EOF {
		if r.secret != "" {
			require.NotContains(r.t, err.Error(), r.secret)
		}
		require.NotContains(r.t, err.Error(), ".toolrun/")
		if len(paths) > 0 {
			var pe *fs.PathError
			require.ErrorAs(r.t, err, &pe)
			require.Contains(r.t, paths, pe.Path)
		}
	}
	return class(err)
}

// do does an operation, and describes its outcome.
func (r *real) do(o operation) string {
	ctx := context.Background()
	switch files := r.call; o.kind {
	case "afero write":
		return r.fails(afero.WriteFile(files, o.a, []byte(text(o.n, o.n)), 0o644), o.a)
	case "write":
		return r.fails(vfs.WriteFile(ctx, files, o.a, []byte(text(o.n, o.n))))
	case "append":
		return r.fails(vfs.Append(ctx, files, o.a, []byte(text(o.n, o.n))))
	case "edit":
		return r.fails(vfs.Edit(ctx, files, o.a, func(content []byte) ([]byte, error) {
			return []byte(edited(string(content), o.n)), nil
		}), o.a)
	case "handle":
		f, err := files.OpenFile(o.a, o.flag, 0o644)
		if err != nil {
			require.Nil(r.t, f)
			return r.fails(err, o.a)
		}
		require.Equal(r.t, o.a, f.Name())
		outcome := r.use(f, o)
		outcome += " close " + r.fails(f.Close(), o.a)
		require.ErrorIs(r.t, f.Close(), fs.ErrClosed)
		return outcome
	case "hold":
		f, err := files.OpenFile(o.a, o.flag, 0o644)
		if err == nil {
			r.held = f
		}
		return r.fails(err, o.a)
	case "use held":
		return r.use(r.held, o)
	case "close held":
		f := r.held
		r.held = nil
		return r.fails(f.Close(), f.Name())
	case "rename":
		return r.fails(files.Rename(o.a, o.b), o.a, o.b)
	case "remove":
		return r.fails(files.Remove(o.a), o.a)
	case "remove all":
		return r.fails(files.RemoveAll(o.a), o.a)
	case "mkdir":
		return r.fails(files.Mkdir(o.a, 0o755), o.a)
	case "mkdir all":
		return r.fails(files.MkdirAll(o.a, 0o755), o.a)
	case "copy":
		return r.fails(vfs.Copy(ctx, files, o.a, o.b))
	case "move":
		return r.fails(vfs.Move(ctx, files, o.a, o.b), o.a, o.b)
	case "chmod":
		mode := fs.FileMode(o.n * 2)
		err := files.Chmod(o.a, mode)
		if err == nil {
			info, err := files.Stat(o.a)
			require.NoError(r.t, err)
			mode |= 0o600
			if info.IsDir() {
				mode |= 0o700
			}
			require.Equal(r.t, mode, info.Mode().Perm())
		}
		return r.fails(err, o.a)
	case "stat":
		info, err := files.Stat(o.a)
		if err != nil {
			return r.fails(err, o.a)
		}
		return describeInfo(info)
	case "readdir":
		f, err := files.Open(o.a)
		if err != nil {
			return r.fails(err, o.a)
		}
		defer f.Close()
		var outcome []string
		for {
			infos, err := f.Readdir(o.n % 4)
			for _, info := range infos {
				outcome = append(outcome, describeInfo(info))
			}
			if err == io.EOF || err == nil && o.n%4 == 0 {
				return strings.Join(outcome, ",")
			}
			if err != nil {
				return r.fails(err, o.a)
			}
		}
	case "read":
		content, err := afero.ReadFile(files, o.a)
		return string(content) + r.fails(err, o.a)
	}
	panic(o.kind)
}

func describeInfo(info fs.FileInfo) string {
	return describeItem(info.Name(), info.IsDir(), info.Size())
}

func describeItem(name string, dir bool, size int64) string {
	return fmt.Sprintf("%s %v %d", name, dir, size)
}

// use does the steps with an open file.
func (r *real) use(f afero.File, o operation) string {
	var outcome []string
	add := func(what any, err error) {
		outcome = append(outcome, fmt.Sprintf("%v %s", what, r.fails(err, f.Name())))
	}
	for _, s := range o.steps {
		switch s.kind {
		case "write":
			n, err := f.WriteString(text(o.n, s.size))
			add(n, err)
		case "write at":
			n, err := f.WriteAt([]byte(text(o.n, s.size+1)), int64(s.offset))
			add(n, err)
		case "truncate":
			add("", f.Truncate(int64(s.offset)))
		case "seek":
			n, err := f.Seek(int64(s.offset), s.whence)
			add(n, err)
		case "read":
			b := make([]byte, s.size)
			n, err := f.Read(b)
			add(string(b[:n]), err)
		case "read at":
			b := make([]byte, s.size)
			n, err := f.ReadAt(b, int64(s.offset))
			add(string(b[:n]), err)
		case "sync":
			add("", f.Sync())
		case "stat":
			info, err := f.Stat()
			if err != nil {
				add("", err)
			} else {
				add(describeInfo(info), nil)
			}
		}
	}
	return strings.Join(outcome, ",")
}

// tree reads all that there is.
func (r *real) tree() tree {
	found := tree{}
	require.NoError(r.t, afero.Walk(r.project, "/", func(name string, info fs.FileInfo, err error) error {
		if err != nil || name == "/" {
			return err
		}
		it := item{dir: info.IsDir()}
		if !it.dir {
			content, err := afero.ReadFile(r.project, name)
			if err != nil {
				return err
			}
			it.content = string(content)
		}
		found[name] = it
		return nil
	}))
	return found
}

// check compares all that there is with the model.
func (r *real) check(m *model, what string) {
	require.Equal(r.t, m.tree(), r.tree(), what)
	usage, err := r.project.Usage(context.Background())
	require.NoError(r.t, err)
	require.Equal(r.t, [2]int64{m.bytes(), int64(len(m.files))}, [2]int64{usage.Bytes, usage.Files}, what)
}

// model is what a project should be, in the most obvious way: what there is by clean path, without the root.
type model struct {
	files map[string]*thing
	held  *modelFile
	quota vfs.Quota
}

// A thing is a file or directory. It stays the same when it is renamed, and a file when it is written in place.
type thing struct {
	dir     bool
	content string
}

// invalidPath is what vfs.InvalidPathError is.
func invalidPath(errno syscall.Errno) error { return errors.Join(fs.ErrInvalid, errno) }

// notDir is syscall.ENOTDIR and nothing else, which that is not everywhere.
type notDir struct{}

func (notDir) Error() string        { return "not a directory" }
func (notDir) Is(target error) bool { return target == syscall.ENOTDIR }

// clean does what vfs.Clean does with the spellings above.
func (m *model) clean(name string) (string, error) {
	if strings.ContainsAny(name, "\x00\\") || !utf8.ValidString(name) {
		return "", invalidPath(syscall.EINVAL)
	}
	var names []string
	for part := range strings.SplitSeq(name, "/") {
		switch part {
		case "", ".":
		case "..":
			names = names[:max(0, len(names)-1)]
		default:
			names = append(names, norm.NFC.String(part))
		}
	}
	if len(names) > 64 {
		return "", invalidPath(syscall.ENAMETOOLONG)
	}
	for _, part := range names {
		if len(part) > 255 {
			return "", invalidPath(syscall.ENAMETOOLONG)
		}
		if strings.EqualFold(part, ".toolrun") {
			return "", invalidPath(syscall.EINVAL)
		}
	}
	return "/" + strings.Join(names, "/"), nil
}

// find returns what a clean path stands for.
func (m *model) find(name string) (*thing, error) {
	if name == "/" {
		return &thing{dir: true}, nil
	}
	above, err := m.find(path.Dir(name))
	if err != nil {
		return nil, err
	}
	if !above.dir {
		return nil, notDir{}
	}
	if found := m.files[name]; found != nil {
		return found, nil
	}
	return nil, syscall.ENOENT
}

func (m *model) cleanAndFind(name string) (string, *thing, error) {
	clean, err := m.clean(name)
	if err != nil {
		return "", nil, err
	}
	found, err := m.find(clean)
	return clean, found, err
}

// creatable says why nothing can be made at a path where there is nothing.
func (m *model) creatable(name, except string) error {
	above, err := m.find(path.Dir(name))
	if err != nil {
		return err
	}
	if !above.dir {
		return notDir{}
	}
	for other := range m.files {
		if other != name && other != except && path.Dir(other) == path.Dir(name) && strings.EqualFold(path.Base(other),
			path.Base(name)) {
			return syscall.EEXIST
		}
	}
	return nil
}

func (m *model) bytes() (sum int64) {
	for _, found := range m.files {
		sum += int64(len(found.content))
	}
	return sum
}

func (m *model) tree() tree {
	out := tree{}
	for name, found := range m.files {
		out[name] = item{found.dir, found.content}
	}
	return out
}

// set makes everything as it was once.
func (m *model) set(to tree) {
	m.files = map[string]*thing{}
	for name, it := range to {
		m.files[name] = &thing{it.dir, it.content}
	}
}

// below is what is at a path and below it, by what their paths have after it.
func (m *model) below(name string) tree {
	out := tree{}
	for other, found := range m.files {
		if rest, ok := strings.CutPrefix(other+"/", name+"/"); ok {
			out[strings.TrimSuffix(rest, "/")] = item{found.dir, found.content}
		}
	}
	return out
}

func (m *model) put(name string, what tree) {
	for rest, it := range what {
		m.files[path.Join(name, rest)] = &thing{it.dir, it.content}
	}
}

func (m *model) removeAll(name string) {
	maps.DeleteFunc(m.files, func(other string, _ *thing) bool { return strings.HasPrefix(other+"/", name+"/") })
}

// errNoSpace is what a vfs.QuotaError is.
var errNoSpace error = &vfs.QuotaError{}

// room says whether a file may have a size, when it has another now, and whether there may be more files.
func (m *model) room(size, now, files int) error {
	switch {
	case size > now && m.quota.FileSize > 0 && int64(size) > m.quota.FileSize,
		size > now && m.quota.Bytes > 0 && m.bytes()+int64(size-now) > m.quota.Bytes,
		files > 0 && m.quota.Files > 0 && int64(len(m.files)+files) > m.quota.Files:
		return errNoSpace
	}
	return nil
}

// A modelFile is an open file.
type modelFile struct {
	given, name string
	flag        int
	offset      int
	is          *thing // what is read and written; if it is being written anew, that is not in the tree yet
	anew        bool
	before      int   // the size when writing anew began
	failed      error // why it cannot be finished
}

func (m *model) open(given string, flag int) (*modelFile, error) {
	name, err := m.clean(given)
	if err != nil {
		return nil, err
	}
	access := flag & (os.O_WRONLY | os.O_RDWR)
	if access == os.O_WRONLY|os.O_RDWR || flag&os.O_TRUNC != 0 && access == 0 || flag&(1<<30) != 0 {
		return nil, syscall.EINVAL
	}
	create := flag&os.O_CREATE != 0
	exclusive := create && flag&os.O_EXCL != 0
	f := &modelFile{given: given, name: name, flag: flag, anew: flag&os.O_TRUNC != 0 && !exclusive}
	f.is, err = m.find(name)
	switch {
	case err == nil && exclusive:
		return nil, syscall.EEXIST
	case err == nil && f.is.dir:
		if access == 0 && !create {
			return f, nil
		}
		return nil, syscall.EISDIR
	case err == nil:
		if f.anew {
			f.before = len(f.is.content)
			f.is = &thing{}
		}
		return f, nil
	case err != syscall.ENOENT || !create:
		return nil, err
	}
	if err := m.creatable(name, ""); err != nil {
		return nil, err
	}
	if err := m.room(0, 0, 1); err != nil {
		return nil, err
	}
	f.is = &thing{}
	if !f.anew {
		m.files[name] = f.is
	}
	return f, nil
}

// change gives an open file another content, by writing or truncating.
func (m *model) change(f *modelFile, to string) error {
	now := len(f.is.content)
	if !f.anew {
		if m.files[f.name] != f.is {
			return syscall.ESTALE
		}
		if err := m.room(len(to), now, 0); err != nil {
			return err
		}
		f.is.content = to
		return nil
	}
	if len(to) > now {
		if m.quota.FileSize > 0 && int64(len(to)) > m.quota.FileSize {
			f.failed = errNoSpace
		}
		f.failed = errors.Join(f.failed, m.room(len(to), f.before, 0))
		// All that is being written may have as much again.
		staged := len(to)
		if m.held != nil && m.held != f && m.held.anew {
			staged += len(m.held.is.content)
		}
		if m.quota.Bytes > 0 && int64(staged) > m.quota.Bytes {
			f.failed = errNoSpace
		}
	}
	if f.failed == nil {
		f.is.content = to
	}
	return f.failed
}

// publish puts what has been written anew to where it belongs.
func (m *model) publish(f *modelFile) error {
	if f.failed != nil {
		return f.failed
	}
	before, err := m.find(f.name)
	size, added := 0, 0
	switch {
	case err == nil && before.dir:
		return syscall.EISDIR
	case err == nil:
		size = len(before.content)
	case err != syscall.ENOENT:
		return err
	default:
		added = 1
		if err := m.creatable(f.name, ""); err != nil {
			return err
		}
	}
	if err := m.room(len(f.is.content), size, added); err != nil {
		return err
	}
	m.files[f.name] = f.is
	f.anew = false
	return nil
}

func (m *model) close(f *modelFile) error {
	if f.anew {
		return m.publish(f)
	}
	return nil
}

// replace is what afero.WriteFile does.
func (m *model) replace(given, content string) error {
	f, err := m.open(given, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	if err := m.change(f, content); err != nil {
		return err
	}
	return m.close(f)
}

// replaceIn is replace, and makes the directories for it.
func (m *model) replaceIn(given, content string) error {
	err := m.replace(given, content)
	if err != syscall.ENOENT {
		return err
	}
	name, err := m.clean(given)
	if err != nil {
		return err
	}
	before := maps.Clone(m.files)
	if err := m.mkdirAll(path.Dir(name)); err != nil {
		return err
	}
	if err := m.replace(given, content); err != nil {
		m.files = before
		return err
	}
	return nil
}

func (m *model) read(name string) (string, error) {
	_, found, err := m.cleanAndFind(name)
	if err == nil && found.dir {
		err = syscall.EISDIR
	}
	if err != nil {
		return "", err
	}
	return found.content, nil
}

// missing are the directories that mkdirAll makes, the deepest first.
func (m *model) missing(clean string) (missing []string, err error) {
	for at := clean; ; at = path.Dir(at) {
		found, err := m.find(at)
		switch {
		case err == nil && !found.dir:
			return nil, notDir{}
		case err == nil:
			return missing, nil
		case err != syscall.ENOENT:
			return nil, err
		}
		missing = append(missing, at)
	}
}

func (m *model) mkdirAll(clean string) error {
	missing, err := m.missing(clean)
	if err != nil {
		return err
	}
	if err := m.room(0, 0, len(missing)); err != nil {
		return err
	}
	for _, at := range slices.Backward(missing) {
		if err := m.creatable(at, ""); err != nil {
			return err
		}
		m.files[at] = &thing{dir: true}
	}
	return nil
}

func (m *model) rename(from, to string) error {
	old, err := m.clean(from)
	if err != nil {
		return err
	}
	name, err := m.clean(to)
	if err != nil {
		return err
	}
	if old == "/" || name == "/" {
		return syscall.EBUSY
	}
	found, err := m.find(old)
	if err != nil || old == name {
		return err
	}
	if found.dir && strings.HasPrefix(name, old+"/") {
		return syscall.EINVAL
	}
	there, err := m.find(name)
	switch {
	case err == nil && there.dir:
		return syscall.EEXIST
	case err == nil && found.dir:
		return notDir{}
	case err == syscall.ENOENT:
		if err := m.creatable(name, old); err != nil {
			return err
		}
	case err != nil:
		return err
	}
	moved := map[string]*thing{}
	for other, what := range m.files {
		if strings.HasPrefix(other+"/", old+"/") {
			moved[name+other[len(old):]] = what
		}
	}
	m.removeAll(old)
	maps.Copy(m.files, moved)
	if m.held != nil && !m.held.anew && strings.HasPrefix(m.held.name+"/", old+"/") {
		m.held.name = name + m.held.name[len(old):]
	}
	return nil
}

func (m *model) copy(from, to string) error {
	source, err := m.clean(from)
	if err != nil {
		return err
	}
	target, there, err := m.cleanAndFind(to)
	if there != nil {
		return syscall.EEXIST
	}
	if err != syscall.ENOENT {
		return err
	}
	found, err := m.find(source)
	if err != nil {
		return err
	}
	if found.dir && strings.HasPrefix(target+"/", strings.TrimSuffix(source, "/")+"/") {
		return syscall.EINVAL
	}
	all := m.below(source)
	for _, rest := range slices.Sorted(maps.Keys(all)) {
		name := path.Join(target, rest)
		if all[rest].dir {
			if err = m.creatable(name, ""); err == nil {
				if err = m.room(0, 0, 1); err == nil {
					m.files[name] = &thing{dir: true}
				}
			}
		} else {
			err = m.replace(name, all[rest].content)
		}
		if err != nil {
			if found.dir {
				m.removeAll(target)
			}
			return err
		}
	}
	return nil
}

func (m *model) do(o operation) string {
	switch o.kind {
	case "afero write":
		return class(m.replace(o.a, text(o.n, o.n)))
	case "write":
		return class(m.replaceIn(o.a, text(o.n, o.n)))
	case "append":
		content, err := m.read(o.a)
		if err != nil && err != syscall.ENOENT {
			return class(err)
		}
		return class(m.replaceIn(o.a, content+text(o.n, o.n)))
	case "edit":
		content, err := m.read(o.a)
		if err != nil {
			return class(err)
		}
		return class(m.replace(o.a, edited(content, o.n)))
	case "handle":
		f, err := m.open(o.a, o.flag)
		if err != nil {
			return class(err)
		}
		return m.use(f, o) + " close " + class(m.close(f))
	case "hold":
		f, err := m.open(o.a, o.flag)
		m.held = f
		return class(err)
	case "use held":
		return m.use(m.held, o)
	case "close held":
		f := m.held
		m.held = nil
		return class(m.close(f))
	case "rename":
		return class(m.rename(o.a, o.b))
	case "remove", "remove all":
		name, found, err := m.cleanAndFind(o.a)
		switch {
		case err == nil && name == "/":
			err = syscall.EBUSY
		case err == nil && o.kind == "remove" && found.dir && len(m.below(name)) > 1:
			err = syscall.ENOTEMPTY
		case err == nil:
			m.removeAll(name)
		case err == syscall.ENOENT && o.kind == "remove all":
			err = nil
		}
		return class(err)
	case "mkdir":
		name, _, err := m.cleanAndFind(o.a)
		switch err {
		case nil:
			err = syscall.EEXIST
		case syscall.ENOENT:
			if err = m.creatable(name, ""); err == nil {
				if err = m.room(0, 0, 1); err == nil {
					m.files[name] = &thing{dir: true}
				}
			}
		}
		return class(err)
	case "mkdir all":
		name, err := m.clean(o.a)
		if err == nil {
			err = m.mkdirAll(name)
		}
		return class(err)
	case "copy":
		return class(m.copy(o.a, o.b))
	case "move":
		_, there, err := m.cleanAndFind(o.b)
		if there != nil {
			return class(syscall.EEXIST)
		}
		if err != syscall.ENOENT {
			return class(err)
		}
		return class(m.rename(o.a, o.b))
	case "chmod":
		_, _, err := m.cleanAndFind(o.a)
		return class(err)
	case "stat":
		name, found, err := m.cleanAndFind(o.a)
		if err != nil {
			return class(err)
		}
		return describeItem(path.Base(name), found.dir, int64(len(found.content)))
	case "readdir":
		name, found, err := m.cleanAndFind(o.a)
		if err == nil && !found.dir {
			err = notDir{}
		}
		if err != nil {
			return class(err)
		}
		var outcome []string
		for _, other := range slices.Sorted(maps.Keys(m.files)) {
			if path.Dir(other) == name {
				outcome = append(outcome, describeItem(path.Base(other), m.files[other].dir,
					int64(len(m.files[other].content))))
			}
		}
		return strings.Join(outcome, ",")
	case "read":
		content, err := m.read(o.a)
		return content + class(err)
	}
	panic(o.kind)
}

func (m *model) use(f *modelFile, o operation) string {
	var outcome []string
	add := func(what any, err error) { outcome = append(outcome, fmt.Sprintf("%v %s", what, class(err))) }
	readable, writable := f.flag&os.O_WRONLY == 0, f.flag&(os.O_WRONLY|os.O_RDWR) != 0
	for _, s := range o.steps {
		content := f.is.content
		if f.is.dir {
			switch {
			case s.kind == "seek" && s.offset == 0 && s.whence == io.SeekStart:
				add(0, nil)
			case s.kind == "sync":
				add("", nil)
			case s.kind == "stat":
				if found, err := m.find(f.name); err != nil {
					add("", err) // a directory that is open is a name only
				} else {
					add(describeItem(path.Base(f.name), found.dir, int64(len(found.content))), nil)
				}
			case s.kind == "truncate", s.kind == "read", s.kind == "read at":
				add("", syscall.EISDIR)
			default:
				add(0, syscall.EISDIR)
			}
			continue
		}
		// refused says why a file cannot be written at all.
		refused := error(nil)
		if !writable {
			refused = syscall.EBADF
		} else if f.anew {
			refused = f.failed
		}
		switch s.kind {
		case "write", "write at":
			data, at := text(o.n, s.size), f.offset
			if s.kind == "write at" {
				data, at = text(o.n, s.size+1), s.offset
				if refused == nil && (at < 0 || f.flag&os.O_APPEND != 0) {
					refused = syscall.EINVAL
				}
			}
			if refused != nil {
				add(0, refused)
				break
			}
			if data == "" {
				add(0, nil)
				break
			}
			if f.flag&os.O_APPEND != 0 {
				at = len(content)
			}
			to := content + strings.Repeat("\x00", max(0, at-len(content)))
			to = to[:at] + data + to[min(len(to), at+len(data)):]
			err := m.change(f, to)
			if err != nil {
				data = ""
			} else if s.kind == "write" {
				f.offset = at + len(data)
			}
			if f.flag&os.O_APPEND != 0 && errors.Is(err, syscall.ENOSPC) {
				f.offset = at // it has gone there to write, and that is where it stays
			}
			add(len(data), err)
		case "truncate":
			switch {
			case refused != nil:
				add("", refused)
			case s.offset < 0:
				add("", syscall.EINVAL)
			default:
				to := content + strings.Repeat("\x00", max(0, s.offset-len(content)))
				add("", m.change(f, to[:s.offset]))
			}
		case "seek":
			from, ok := map[int]int{io.SeekStart: 0, io.SeekCurrent: f.offset, io.SeekEnd: len(content)}[s.whence]
			if !ok || from+s.offset < 0 {
				add(0, syscall.EINVAL)
				break
			}
			f.offset = from + s.offset
			add(f.offset, nil)
		case "read", "read at":
			at := f.offset
			if s.kind == "read at" {
				at = s.offset
			}
			switch {
			case !readable:
				add("", syscall.EBADF)
				continue
			case at < 0:
				add("", syscall.EINVAL)
				continue
			case s.size == 0:
				add("", nil)
				continue
			}
			got := content[min(at, len(content)):min(at+s.size, len(content))]
			var err error
			if s.kind == "read" {
				f.offset += len(got)
				if got == "" {
					err = io.EOF
				}
			} else if len(got) < s.size {
				err = io.EOF
			}
			add(got, err)
		case "sync":
			var err error
			if f.anew {
				err = m.publish(f)
			}
			add("", err)
		case "stat":
			name, _ := m.clean(f.given)
			add(describeItem(path.Base(name), false, int64(len(content))), nil)
		}
	}
	return strings.Join(outcome, ",")
}

// A past is what there was before a call.
type past struct {
	call   string
	before tree
	// removed is what the call has removed, in its order, by where it was.
	removed map[string][]tree
}

// A run does operations with all projects and the model.
type run struct {
	t        *testing.T
	projects []*real
	model    *model
	calls    []*past // that have not been undone
	all      map[string]*past
	// unsure is set when something has been undone that was not the last: then what can be undone later is not known.
	unsure bool
	// saved are the files of checkpoints, by name.
	saved map[string]tree
}

// decode makes options and operations of what a fuzzer has come up with.
func decode(in input) (options vfs.Options, operations []operation) {
	options.NoSync = true
	options.Quota.Files = 100 // copying can double everything each time
	if in.next(4) == 3 {
		options.Quota = vfs.Quota{Bytes: 1000, Files: 6, FileSize: 400}
	}
	for len(in) > 0 && len(operations) < 60 {
		operations = append(operations, in.operation())
	}
	return options, operations
}

// encode does the opposite of decode.
func encode(small bool, operations ...operation) (out []byte) {
	add := func(i int) { out = append(out, byte(i)) }
	flag := func(is bool, yes, no int) {
		if is {
			add(yes)
		} else {
			add(no)
		}
	}
	flag(small, 3, 0)
	for _, o := range operations {
		flag(o.sameCall, 0, 1)
		add(slices.Index(operationKinds, o.kind))
		add(slices.Index(spellings, o.a))
		switch o.kind {
		case "rename", "copy", "move":
			add(slices.Index(spellings, o.b))
		case "handle", "hold", "use held":
			add(slices.Index(openFlags, o.flag))
			add(len(o.steps))
			for _, s := range o.steps {
				add(slices.Index(stepKinds, s.kind))
				add(s.size)
				add(s.offset + 10)
				add(s.whence)
			}
		}
		add(o.n)
	}
	return out
}

// perform does the operations one by one.
func perform(t *testing.T, options vfs.Options, operations []operation, projects func(options *vfs.Options) []*real) {
	r := &run{t: t, projects: projects(&options), model: &model{files: map[string]*thing{}, quota: options.Quota},
		all: map[string]*past{}}
	done := 0
	defer func() {
		if t.Failed() {
			for _, o := range operations[:min(done+1, len(operations))] {
				t.Logf("%+v", o)
			}
		}
	}()
	for ; done < len(operations); done++ {
		r.one(operations[done])
		r.projects[0].check(r.model, "after an operation")
	}
	r.closeHeld()
	for _, p := range r.projects {
		p.check(r.model, "at the end")
	}
	r.sameHistory()
	for _, p := range r.projects {
		require.NoError(t, p.project.Close())
	}
}

// one performs one operation.
func (r *run) one(o operation) {
	switch o.kind {
	case "undo", "undo last call", "undo some call", "reopen", "restore checkpoint":
		r.closeHeld()
	case "hold":
		if r.model.held != nil {
			return
		}
	case "use held", "close held":
		if r.model.held == nil {
			return
		}
		o.a = r.model.held.given
	}
	switch o.kind {
	case "undo":
		r.undo("")
		return
	case "undo last call":
		if n := len(r.calls); n > 0 {
			r.undo(r.calls[n-1].call)
		}
		return
	case "undo some call":
		if n := len(r.calls); n > 0 && o.n%4 == 0 {
			r.undoSome(r.calls[o.n/4%n].call)
		}
		return
	case "checkpoint", "restore checkpoint", "delete checkpoint":
		r.checkpoint(o.kind, fmt.Sprint("checkpoint ", o.n%3))
		return
	case "reopen":
		if !r.distinct() {
			return
		}
		for _, p := range r.projects {
			p.project = p.reopen()
		}
		r.begin()
		return
	}
	// What a file that is open changes belongs to the call that has opened it.
	if r.model.held == nil && !o.sameCall || len(r.calls) == 0 || r.projects[0].call == nil {
		r.begin()
	}
	if o.kind == "restore" {
		r.restore(o.n)
		return
	}
	call := r.calls[len(r.calls)-1]
	name, there, err := r.model.cleanAndFind(o.a)
	var below tree
	if there != nil {
		below = r.model.below(name)
	}
	want := r.model.do(o)
	for _, p := range r.projects {
		require.Equal(r.t, want, p.do(o), "%+v", o)
	}
	if err == nil && there != nil && strings.HasPrefix(o.kind, "remove") && want == "ok" {
		call.removed[name] = append(call.removed[name], below)
	}
}

// checkpoint creates, restores or deletes a checkpoint. All projects say the same of what has been changed since.
func (r *run) checkpoint(kind, name string) {
	ctx := context.Background()
	saved, ok := r.saved[name]
	want := "ok"
	if !ok && kind != "checkpoint" {
		want = class(fs.ErrNotExist)
	} else if ok && kind == "checkpoint" {
		want = class(fs.ErrExist)
	}
	var first *vfs.Restored
	if kind == "restore checkpoint" {
		r.begin()
	}
	for i, p := range r.projects {
		var err error
		switch project := p.project; kind {
		case "checkpoint":
			_, err = project.CreateCheckpoint(ctx, name, nil)
		case "delete checkpoint":
			err = project.DeleteCheckpoint(ctx, name)
		default:
			var done *vfs.Restored
			done, err = p.call.RestoreCheckpoint(ctx, name, nil)
			if done != nil && i == 0 {
				first = done
			} else if done != nil {
				require.Equal(r.t, first.Changed, done.Changed)
				require.Equal(r.t, first.Call, done.Call)
			}
		}
		require.Equal(r.t, want, p.fails(err), "%s %s: %v", kind, name, err)
	}
	switch {
	case want != "ok":
	case kind == "checkpoint":
		if r.saved == nil {
			r.saved = map[string]tree{}
		}
		r.saved[name] = r.model.tree()
	case kind == "delete checkpoint":
		delete(r.saved, name)
	default:
		require.Equal(r.t, maps.Equal(r.model.tree(), saved), len(first.Changed) == 0)
		r.model.set(saved)
		for _, p := range r.projects {
			p.check(r.model, "after restoring a checkpoint")
		}
	}
}

// distinct sees to it that the last change in the history is not one that has written to a file what was there before:
// whoever opens the project cannot tell that from one that has not happened, and may drop it.
func (r *run) distinct() bool {
	for {
		changes, err := r.projects[0].project.Changes(context.Background(), "/")
		require.NoError(r.t, err)
		if len(changes) == 0 || changes[0].Op != vfs.OpWrite {
			return true
		}
		o := operation{kind: "mkdir", a: fmt.Sprint("/distinct ", changes[0].ID)}
		r.one(o)
		if r.model.files[o.a] == nil {
			return false // no room
		}
	}
}

// begin begins another call.
func (r *run) begin() {
	call := &past{fmt.Sprint("call ", len(r.all)), r.model.tree(), map[string][]tree{}}
	r.calls = append(r.calls, call)
	r.all[call.call] = call
	for _, p := range r.projects {
		p.call = p.project.WithCall(call.call)
	}
}

func (r *run) closeHeld() {
	if r.model.held != nil {
		o := operation{kind: "close held"}
		want := r.model.do(o)
		for _, p := range r.projects {
			require.Equal(r.t, want, p.do(o), "closing the held file")
		}
	}
}

// undoAll undoes a call in all projects, which must have the same outcome.
func (r *run) undoAll(call string) (undone []vfs.Change, err error) {
	for i, p := range r.projects {
		changes, e := p.project.Undo(context.Background(), call)
		p.fails(e)
		for j := range changes {
			changes[j].Time = changes[0].Time
		}
		if i == 0 {
			undone, err = changes, e
			continue
		}
		require.Equal(r.t, class(err), class(e), "%v and %v", err, e)
		require.Len(r.t, changes, len(undone))
		for j := range changes {
			changes[j].Time = undone[j].Time
		}
		require.Equal(r.t, undone, changes)
	}
	// What comes now is another call.
	for _, p := range r.projects {
		p.call = nil
	}
	return undone, err
}

// undo undoes the latest call, or that of this name, which is the latest.
func (r *run) undo(id string) {
	undone, err := r.undoAll(id)
	now := r.model.tree()
	if errors.Is(err, vfs.ErrNotKept) {
		before := now
		if id == "" && !r.unsure && len(r.calls) > 0 {
			before = r.calls[0].before
		} else if id != "" {
			before = r.all[id].before
		}
		require.Equal(r.t, before, now, "a change cannot be undone: %v", err)
		return
	}
	if err != nil && r.unsure || r.isNoSpace(err) {
		r.resync(err)
		return
	}
	require.NoError(r.t, err, "nothing has changed since")
	at := slices.IndexFunc(r.calls, func(c *past) bool { return c.call == undone[0].Call })
	if at < 0 || r.unsure {
		require.True(r.t, r.unsure, "an unknown call is undone: %+v", undone)
		r.resync(nil)
		return
	}
	for _, later := range r.calls[at+1:] {
		require.Equal(r.t, later.before, now, "a call that has changed something is left out")
	}
	r.model.set(r.calls[at].before)
	r.calls = r.calls[:at]
	for _, p := range r.projects {
		p.check(r.model, "after undoing "+undone[0].Call)
	}
}

// isNoSpace reports whether there was no room for undoing, which leaves it half done.
func (r *run) isNoSpace(err error) bool {
	return r.model.quota != vfs.Quota{} && errors.Is(err, syscall.ENOSPC)
}

// undoSome undoes any call, which may not be possible.
func (r *run) undoSome(id string) {
	last := r.calls[len(r.calls)-1].call == id
	_, err := r.undoAll(id)
	if last {
		var undo *vfs.UndoError
		require.False(r.t, errors.As(err, &undo) && !r.unsure, "%v", err)
	}
	if errors.Is(err, vfs.ErrNotKept) {
		return
	}
	r.resync(err)
}

// resync lets the model follow what has been done. If that was an error, nothing has been.
func (r *run) resync(err error) {
	if err != nil && !r.isNoSpace(err) {
		for _, p := range r.projects {
			p.check(r.model, "after "+err.Error())
		}
		return
	}
	r.model.set(r.projects[0].tree())
	for _, p := range r.projects {
		p.check(r.model, "after undoing")
	}
	r.calls, r.unsure = nil, true
}

// restore restores what some change has kept.
func (r *run) restore(n int) {
	ctx := context.Background()
	project := r.projects[0].project
	changes, err := project.Changes(context.Background(), "/")
	require.NoError(r.t, err)
	var kept []vfs.Change
	removed := map[int64]tree{}
	seen := map[string]int{}
	for _, change := range slices.Backward(changes) {
		if !change.Kept || change.Call == "" {
			continue
		}
		if change.Op == vfs.OpRemove {
			key := change.Call + change.Path
			if all := r.all[change.Call].removed[change.Path]; seen[key] < len(all) {
				removed[change.ID] = all[seen[key]]
				seen[key]++
			} else {
				continue // what copying has removed again
			}
		}
		kept = append(kept, change)
	}
	if len(kept) == 0 {
		return
	}
	change := kept[n%len(kept)]
	target := change.Path
	if change.Op == vfs.OpRename {
		target = change.To
	}
	what, known := removed[change.ID]
	if !known {
		what = tree{"": {content: r.version(change.ID)}}
	} else if !what[""].dir {
		require.Equal(r.t, what[""].content, r.version(change.ID))
	}
	if change.Op == vfs.OpWrite { // which goes to where the file is now
		for _, later := range slices.Backward(changes) {
			if later.ID <= change.ID {
				continue
			}
			if later.Op == vfs.OpRemove && vfs.Within(target, later.Path) || later.Op == vfs.OpRename &&
				later.To == target {
				break
			}
			if later.Op == vfs.OpRename && vfs.Within(target, later.Path) {
				target = later.To + target[len(later.Path):]
			}
		}
	}
	want := r.model.restore(target, what)
	for _, p := range r.projects {
		require.Equal(r.t, want, p.fails(p.call.Restore(ctx, change.ID, ""), target), "restoring %+v", change)
	}
}

func (m *model) restore(target string, what tree) string {
	there, err := m.find(target)
	if there != nil && (there.dir || what[""].dir) {
		return class(syscall.EEXIST)
	}
	if err != nil && err != syscall.ENOENT {
		return class(err)
	}
	missing, err := m.missing(path.Dir(target))
	if err != nil {
		return class(err)
	}
	bytes, files := 0, len(what)+len(missing)
	for _, it := range what {
		bytes += len(it.content)
	}
	if there != nil {
		bytes -= len(there.content)
		files--
	}
	if m.quota.Bytes > 0 && bytes > 0 && m.bytes()+int64(bytes) > m.quota.Bytes || m.room(0, 0, files) != nil {
		return class(errNoSpace)
	}
	if err := m.mkdirAll(path.Dir(target)); err != nil {
		return class(err)
	}
	if err := m.creatable(target, ""); there == nil && err != nil {
		return class(err)
	}
	m.put(target, what)
	return class(nil)
}

// version reads what a change has kept, which all projects must have.
func (r *run) version(id int64) (content string) {
	for i, p := range r.projects {
		f, err := p.project.OpenVersion(context.Background(), id)
		require.NoError(r.t, err)
		b, err := io.ReadAll(f)
		require.NoError(r.t, err)
		require.NoError(r.t, f.Close())
		if i > 0 {
			require.Equal(r.t, content, string(b))
		}
		content = string(b)
	}
	return content
}

// sameHistory checks that all projects remember the same.
func (r *run) sameHistory() {
	var first []vfs.Change
	for i, p := range r.projects {
		changes, err := p.project.Changes(context.Background(), "/")
		require.NoError(r.t, err)
		for j := range changes {
			if j > 0 {
				require.Equal(r.t, changes[j-1].ID-1, changes[j].ID)
			}
			if i > 0 && j < len(first) {
				changes[j].Time = first[j].Time
			}
		}
		if i == 0 {
			first = changes
			continue
		}
		require.Equal(r.t, first, changes)
	}
}

// inMemory is a project in memory.
func inMemory(t *testing.T, options *vfs.Options) *real {
	project, err := local.NewMemoryStore(options).Open(t.Context(), "p")
	require.NoError(t, err)
	return &real{t: t, project: project, reopen: func() vfs.Project { return project }}
}

// onDisk is a project in a directory. Opening it again is as if another process did.
func onDisk(t *testing.T, dir string, options *vfs.Options) *real {
	r := &real{t: t, project: openIn(t, dir, options), secret: dir}
	r.reopen = func() vfs.Project {
		require.NoError(t, r.project.Close())
		return openIn(t, dir, options)
	}
	return r
}

// inDatabase is a project in a database in builds with the tag systemtest and the URL of one, and nil in others.
// Opening it again is as if another process did.
var inDatabase func(t *testing.T, options *vfs.Options) *real

// seeds are what FuzzOperations begins with.
func seeds() [][]byte {
	const (
		write, edit, remove, removeAll, mkdirAll = "afero write", "edit", "remove", "remove all", "mkdir all"
		create, inPlace, anew                    = os.O_RDWR | os.O_CREATE | os.O_EXCL, os.O_RDWR,
			os.O_WRONLY | os.O_CREATE | os.O_TRUNC
		appending = os.O_RDWR | os.O_CREATE | os.O_APPEND
	)
	one := func(kind, a string, n int) operation { return operation{kind: kind, a: a, n: n} }
	two := func(kind, a, b string) operation { return operation{kind: kind, a: a, b: b} }
	open := func(kind, a string, flag int, steps ...step) operation {
		return operation{kind: kind, a: a, flag: flag, steps: steps, n: 7}
	}
	same := func(o operation) operation { o.sameCall = true; return o }
	undo, reopen := one("undo", "/a", 0), one("reopen", "/a", 0)
	writing := step{kind: "write", size: 100}
	return [][]byte{
		// A tree is made, changed in several ways, and all of that is undone again.
		encode(false, one("write", "/a/x/y", 9), one("append", "/b/x", 8), one(edit, "/a/x/y", 7), two("rename", "/a",
			"/c"), undo, undo, undo, undo),
		// A call makes something, changes and removes it, and makes something else in its place.
		encode(false, one("write", "/a/x/y", 9), one(removeAll, "/a", 0), same(one(write, "/a", 8)),
			same(one(edit, "/a", 7)), undo, reopen),
		// Several spellings of a path, and names that there cannot be beside it.
		encode(false, one("write", "/a/x", 9), one("read", "a/./x/", 0), one(write, "/A/x", 8), one(write, "/a/X", 8),
			two("rename", "/a", "/A"), one("readdir", "", 2)),
		encode(false, one(write, "/é", 9), one("read", "/e\u0301", 0), one("mkdir", "/É", 0),
			one(mkdirAll, "/E\u0301/x", 0), one(remove, "/e\u0301", 0), one("mkdir", "/É", 0)),
		// What is below a file, invalid, or the root.
		encode(false, one(write, "/a", 9), one("stat", "/a/x", 0), one("write", "/a/x/y", 9), one(removeAll, "/a/x", 0),
			two("move", "/a", "/a/x"), one(write, "/..", 1), one("chmod", "", 0)),
		// A file is replaced while it is open for writing in place, and the other way round.
		encode(false, one(write, "/a", 9), open("hold", "/a", inPlace, writing), same(one(write, "/a", 8)),
			open("use held", "/a", 0, writing), one("close held", "/a", 0), undo),
		encode(false, open("hold", "/a", anew, writing), open("use held", "/a", 0, writing),
			open("handle", "/a", appending, writing), one("close held", "/a", 0), one("read", "/a", 0), undo),
		// A file is renamed while it is open for writing in place.
		encode(false, open("hold", "/a", create, writing), open("use held", "/a", 0, writing),
			two("rename", "/a", "/b"), open("use held", "/a", 0, writing), one("close held", "/a", 0), undo, reopen),
		// Two handles write to one file by turns.
		encode(false, open("hold", "/b", create), open("handle", "/b", inPlace, writing), open("use held", "/b", 0,
			step{kind: "truncate", offset: 5}), undo),
		// A file is restored where a directory is by now, and a directory where a file is.
		encode(false, one(write, "/a", 9), one(remove, "/a", 0), one("mkdir", "/a", 0), one("restore", "/a", 0),
			one(remove, "/a", 0), one(write, "/a", 3), one("restore", "/a", 1)),
		// A file is renamed over another, and what it replaced is restored.
		encode(false, one(write, "/a", 9), one(write, "/b", 8), two("rename", "/a", "/b"), one("restore", "/a", 0),
			reopen, undo, undo, reopen),
		// A tree is copied beside itself, into itself, over something, and moved.
		encode(false, one("write", "/a/x/y", 9), two("copy", "/a", "/b"), two("copy", "/a", "/a/x"), two("copy", "/a",
			"/b"), two("move", "/b", "/c"), undo, undo),
		// There is little room.
		encode(true, one(write, "/a", 250), one(write, "/b", 250), one("append", "/a", 250), one("append", "/b/x", 1),
			one(mkdirAll, "/c/c/c", 0), one("write", "/a/x/y", 1), two("copy", "/c", "/é"), undo),
		encode(true, open("handle", "/a", anew, writing, step{kind: "truncate", offset: 245}, writing), open("handle",
			"/a", appending, writing, writing, writing), one(removeAll, "/a", 0), one("restore", "/a", 0)),
	}
}

func FuzzOperations(f *testing.F) {
	for _, seed := range seeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		options, operations := decode(in)
		perform(t, options, operations, func(options *vfs.Options) []*real {
			return []*real{inMemory(t, options), onDisk(t, t.TempDir(), options)}
		})
	})
}

func TestOperationsDoWhatAnObviousModelDoes(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	times := 200
	if *soak {
		times = 5000
	}
	random := rand.New(rand.NewPCG(1, 2))
	for i := range times {
		in := make([]byte, 100+random.IntN(300))
		for j := range in {
			in[j] = byte(random.IntN(256))
		}
		ok := t.Run(fmt.Sprint(i), func(t *testing.T) {
			options, operations := decode(in)
			perform(t, options, operations, func(options *vfs.Options) []*real {
				projects := []*real{inMemory(t, options)}
				if i%16 == 0 {
					projects = append(projects, onDisk(t, t.TempDir(), options))
				}
				if i%16 == 8 && inDatabase != nil {
					projects = append(projects, inDatabase(t, options))
				}
				return projects
			})
		})
		if !ok {
			t.Fatalf("input %q", in)
		}
	}
}

// inStores runs a test with a new project of each kind of store.
func inStores(t *testing.T, name string, options vfs.Options, test func(t *testing.T, project vfs.Project)) {
	for kind, store := range eachStore(t, options) {
		t.Run(name+"/"+kind, func(t *testing.T) {
			project, err := store.Open(t.Context(), "p")
			require.NoError(t, err)
			test(t, project)
			requireExactUsage(t, project)
			require.NoError(t, project.Close())
		})
	}
}

func TestUndoKnowsTheCallsOwnChanges(t *testing.T) {
	ctx := context.Background()
	write := func(t *testing.T, files afero.Fs, name, content string) {
		require.NoError(t, afero.WriteFile(files, name, []byte(content), 0o644))
	}
	requireContent := func(t *testing.T, files afero.Fs, name, content string) {
		got, err := afero.ReadFile(files, name)
		require.NoError(t, err)
		require.Equal(t, content, string(got))
	}
	inStores(t, "setting the time of what it has written", vfs.Options{}, func(t *testing.T, project vfs.Project) {
		call := project.WithCall("call")
		write(t, project, "/f", "before")
		write(t, call, "/f", "after")
		old := time.Date(2001, 2, 3, 4, 5, 6, 0, time.UTC)
		require.NoError(t, call.Chtimes("/f", old, old))
		_, err := project.Undo(ctx, "call")
		require.NoError(t, err)
		requireContent(t, project, "/f", "before")
	})
	inStores(t, "writing with two handles by turns", vfs.Options{}, func(t *testing.T, project vfs.Project) {
		call := project.WithCall("call")
		first, err := call.OpenFile("/f", os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o644)
		require.NoError(t, err)
		second, err := call.OpenFile("/f", os.O_RDWR, 0)
		require.NoError(t, err)
		_, err = second.WriteString("second")
		require.NoError(t, err)
		require.NoError(t, second.Close())
		require.NoError(t, first.Truncate(3))
		require.NoError(t, first.Close())
		requireContent(t, project, "/f", "sec")
		_, err = project.Undo(ctx, "call")
		require.NoError(t, err)
		_, err = project.Stat("/f")
		require.ErrorIs(t, err, fs.ErrNotExist)
	})
	inStores(t, "doing it again completes what a quota has interrupted", vfs.Options{Quota: vfs.Quota{Bytes: 100}},
		func(t *testing.T, project vfs.Project) {
			write(t, project, "/a", "a")
			write(t, project, "/b", strings.Repeat("b", 80))
			require.NoError(t, project.WithCall("call").Rename("/a", "/b"))
			write(t, project, "/c", strings.Repeat("c", 80))
			_, err := project.Undo(ctx, "call")
			require.ErrorIs(t, err, syscall.ENOSPC)
			require.NoError(t, project.Remove("/c"))
			_, err = project.Undo(ctx, "call")
			require.NoError(t, err)
			requireContent(t, project, "/a", "a")
			requireContent(t, project, "/b", strings.Repeat("b", 80))
		})
}

func TestWhatThereIsNoRoomForChangesNothing(t *testing.T) {
	ctx := context.Background()
	ten := []byte("0123456789")
	for name, do := range map[string]func(project vfs.Project) error{
		"restoring": func(project vfs.Project) error { return project.Restore(ctx, 4, "") },
		"writing with directories": func(project vfs.Project) error {
			return vfs.WriteFile(ctx, project, "/d/e/f", ten)
		},
		"appending with directories": func(project vfs.Project) error {
			return vfs.Append(ctx, project, "/d/e/f", ten)
		},
		"copying":            func(project vfs.Project) error { return vfs.Copy(ctx, project, "/full", "/d") },
		"making directories": func(project vfs.Project) error { return project.MkdirAll("/d/e/f/g", 0o755) },
	} {
		inStores(t, name, vfs.Options{Quota: vfs.Quota{Bytes: 15, Files: 4}}, func(t *testing.T, project vfs.Project) {
			require.NoError(t, vfs.WriteFile(ctx, project, "/d/e/f", ten)) // 1, 2, 3
			require.NoError(t, project.Remove("/d/e/f"))                   // 4
			require.NoError(t, project.RemoveAll("/d"))
			require.NoError(t, vfs.WriteFile(ctx, project, "/full/f", ten))
			require.ErrorIs(t, do(project), syscall.ENOSPC)
			usage, err := project.Usage(t.Context())
			require.NoError(t, err)
			require.EqualValues(t, 2, usage.Files)
		})
	}
}

func TestRoomIsWhatThereIsNow(t *testing.T) {
	ctx := context.Background()
	inStores(t, "what a compound operation has removed makes room in it",
		vfs.Options{Quota: vfs.Quota{Bytes: 100, Files: 1}}, func(t *testing.T, project vfs.Project) {
			require.NoError(t, afero.WriteFile(project, "/a", make([]byte, 80), 0o644))
			require.NoError(t, vfs.Exclusively(ctx, project, func(files afero.Fs) error {
				if err := files.Remove("/a"); err != nil {
					return err
				}
				return afero.WriteFile(files, "/b", make([]byte, 80), 0o644)
			}))
		})
	inStores(t, "writing nothing needs none", vfs.Options{Quota: vfs.Quota{Bytes: 10}},
		func(t *testing.T, project vfs.Project) {
			f, err := project.Create("/f")
			require.NoError(t, err)
			_, err = f.WriteAt(nil, 1000)
			require.NoError(t, err)
			require.NoError(t, f.Close())
		})
	t.Run("growth counts from when the project was opened, each time", func(t *testing.T) {
		store, err := local.OpenStore(t.TempDir(), &vfs.Options{NoSync: true, Quota: vfs.Quota{Bytes: 100,
			Growth: true}})
		require.NoError(t, err)
		for _, name := range []string{"/a", "/b", "/c"} {
			project, err := store.Open(t.Context(), "p")
			require.NoError(t, err)
			require.NoError(t, afero.WriteFile(project, name, make([]byte, 80), 0o644))
			require.ErrorIs(t, afero.WriteFile(project, "/more", make([]byte, 80), 0o644), syscall.ENOSPC)
			require.NoError(t, project.Close())
		}
	})
}

func TestUsageIsExactWithLinksOfTheHost(t *testing.T) {
	dir := t.TempDir()
	project, err := local.OpenDir(dir, &vfs.Options{NoSync: true})
	require.NoError(t, err)
	require.NoError(t, project.Mkdir("/d", 0o755))
	if err := os.Symlink("nowhere", filepath.Join(dir, "d", "link")); err != nil {
		t.Skip(err)
	}
	require.NoError(t, project.Close())
	project, err = local.OpenDir(dir, &vfs.Options{NoSync: true})
	require.NoError(t, err)
	requireExactUsage(t, project)
	require.NoError(t, project.RemoveAll("/d"))
	requireExactUsage(t, project)
	_, err = project.Undo(context.Background(), "")
	require.NoError(t, err)
	requireExactUsage(t, project)
	require.NoError(t, project.Close())
}

func TestChangingADeletedProject(t *testing.T) {
	for kind, store := range eachStore(t, vfs.Options{}) {
		t.Run(kind, func(t *testing.T) {
			project, err := store.Open(t.Context(), "p")
			require.NoError(t, err)
			require.NoError(t, afero.WriteFile(project, "/f", []byte("x"), 0o644))
			staged, err := project.Create("/g")
			require.NoError(t, err)
			require.NoError(t, store.Delete(t.Context(), "p"))
			require.ErrorIs(t, project.Mkdir("/d", 0o755), vfs.ErrDeleted)
			require.ErrorIs(t, afero.WriteFile(project, "/f", nil, 0o644), vfs.ErrDeleted)
			require.ErrorIs(t, staged.Close(), vfs.ErrDeleted)
			_, err = project.Undo(context.Background(), "")
			require.ErrorIs(t, err, vfs.ErrDeleted)
			_, err = project.Stat("/f")
			require.ErrorIs(t, err, fs.ErrNotExist)
			require.NoError(t, project.Close())
		})
	}
}

func TestAnyCallCanBeUndone(t *testing.T) {
	for name, id := range map[string]string{
		"a long id":            strings.Repeat("long", 20<<10),
		"one that is not text": "a\xffb",
		"one like a number":    "#1",
	} {
		inStores(t, name, vfs.Options{}, func(t *testing.T, project vfs.Project) {
			require.NoError(t, afero.WriteFile(project, "/f", []byte("x"), 0o644))
			require.NoError(t, afero.WriteFile(project.WithCall(id), "/g", []byte("x"), 0o644))
			changes, err := project.Changes(t.Context(), "/")
			require.NoError(t, err)
			require.Len(t, changes, 2)
			undone, err := project.Undo(context.Background(), "")
			require.NoError(t, err)
			require.Len(t, undone, 1)
			require.Equal(t, "/g", undone[0].Path)
		})
	}
}
