package local_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/pgtest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/internal/storetest"
	"github.com/toolrun/toolrun/vfs/local"
)

// otherProcesses is how many processes there are beside that of a test. Each has a number from 1, the test has 0.
const otherProcesses = 2

// together has the role played by other processes and by the test itself, at the same time, and waits until all are
// done.
func together(t *testing.T, project vfs.Project, work task) {
	processes := make([]*process, otherProcesses)
	for i := range processes {
		work.Seed = uint64(i + 1)
		processes[i] = start(t, work)
	}
	for _, p := range processes {
		p.expect("begun")
	}
	work.Seed = 0
	processRoles[work.Role](t, work, project, func(...any) {})
	for _, p := range processes {
		p.wait()
	}
}

const editedFile = "/counters"

// editCounters counts its own line up, and adds a line for each time.
func editCounters(t *testing.T, work task, project vfs.Project, say func(...any)) {
	say("begun")
	for i := range work.Count {
		err := vfs.Edit(context.Background(), project, editedFile, func(content []byte) ([]byte, error) {
			old := fmt.Sprintf("counter %d: %d\n", work.Seed, i)
			if !bytes.Contains(content, []byte(old)) {
				return nil, fmt.Errorf("no %q in %q", old, content)
			}
			content = bytes.Replace(content, []byte(old), fmt.Appendf(nil, "counter %d: %d\n", work.Seed, i+1), 1)
			return fmt.Appendf(content, "line %d of %d\n", i, work.Seed), nil
		})
		require.NoError(t, err)
	}
}

func TestProcessesLoseNoEdit(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	dir := t.TempDir()
	options := vfs.Options{NoSync: true}
	project := openIn(t, dir, &options)
	work := task{Role: "edit", Dir: dir, Options: options, Count: 200}
	var content, want strings.Builder
	for i := range otherProcesses + 1 {
		fmt.Fprintf(&content, "counter %d: 0\n", i)
		fmt.Fprintf(&want, "counter %d: %d\n", i, work.Count)
	}
	require.NoError(t, afero.WriteFile(project, editedFile, []byte(content.String()), 0o644))
	together(t, project, work)
	got, err := afero.ReadFile(project, editedFile)
	require.NoError(t, err)
	lines, ok := strings.CutPrefix(string(got), want.String())
	require.True(t, ok, string(got))
	requireLines(t, lines, work.Count)
	requireExactUsage(t, project)
	require.NoError(t, project.Close())
}

// requireLines checks that everybody's lines are there, in their order.
func requireLines(t *testing.T, lines string, count int) {
	next := map[int]int{}
	for line := range strings.Lines(lines) {
		var i, by int
		_, err := fmt.Sscanf(line, "line %d of %d\n", &i, &by)
		require.NoError(t, err, line)
		require.Equal(t, next[by], i, lines)
		next[by]++
	}
	for i := range otherProcesses + 1 {
		require.Equal(t, count, next[i])
	}
}

const appendedFile = "/lines"

func appendLines(t *testing.T, work task, project vfs.Project, say func(...any)) {
	say("begun")
	for i := range work.Count {
		line := fmt.Appendf(nil, "line %d of %d\n", i, work.Seed)
		require.NoError(t, vfs.Append(context.Background(), project, appendedFile, line))
	}
}

// appendInPlace appends with one handle for a while, and then with another.
func appendInPlace(t *testing.T, work task, project vfs.Project, say func(...any)) {
	say("begun")
	for i := 0; i < work.Count; {
		f, err := project.OpenFile(appendedFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
		require.NoError(t, err)
		for range 20 {
			if i < work.Count {
				_, err = fmt.Fprintf(f, "line %d of %d\n", i, work.Seed)
				require.NoError(t, err)
				i++
			}
		}
		require.NoError(t, f.Close())
	}
}

func TestProcessesLoseNothingAppended(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	for name, role := range map[string]string{"as a whole": "append", "in place": "inplace"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			options := vfs.Options{NoSync: true}
			project := openIn(t, dir, &options)
			work := task{Role: role, Dir: dir, Options: options, Count: 200}
			together(t, project, work)
			lines, err := afero.ReadFile(project, appendedFile)
			require.NoError(t, err)
			requireLines(t, string(lines), work.Count)
			requireExactUsage(t, project)
			require.NoError(t, project.Close())
		})
	}
}

// eachStore makes a store of each kind.
func eachStore(t *testing.T, options vfs.Options) map[string]vfs.Store {
	options.NoSync = true
	disk, err := local.OpenStore(t.TempDir(), &options)
	require.NoError(t, err)
	all := map[string]vfs.Store{"memory": local.NewMemoryStore(&options), "disk": disk}
	if pgtest.Everywhere() {
		all["database"] = storetest.OpenDatabase(t, &options)
	}
	return all
}

// hold takes the project's lock until release is called, which returns what Exclusively does.
func hold(t *testing.T, files afero.Fs) (release func() error) {
	held, free := make(chan struct{}), make(chan struct{})
	done := make(chan error, 1)
	go func() {
		done <- vfs.Exclusively(context.Background(), files, func(afero.Fs) error {
			close(held)
			<-free
			return nil
		})
	}()
	select {
	case <-held:
	case err := <-done:
		require.Fail(t, "the lock is not held", err)
	}
	return sync.OnceValue(func() error {
		close(free)
		return <-done
	})
}

func TestProjectsDoNotWaitForEachOther(t *testing.T) {
	for name, store := range eachStore(t, vfs.Options{}) {
		t.Run(name, func(t *testing.T) {
			var projects []vfs.Project
			for i := range 10 {
				project, err := store.Open(t.Context(), fmt.Sprint("p", i))
				require.NoError(t, err)
				require.NoError(t, afero.WriteFile(project, "/f", []byte("before"), 0o644))
				projects = append(projects, project)
			}
			// If any of this waited for the others, it would do so forever.
			var group sync.WaitGroup
			for free, project := range projects {
				var releases []func() error
				for i, other := range projects {
					if i != free {
						releases = append(releases, hold(t, other))
					}
				}
				require.NoError(t, afero.WriteFile(project, "/f", []byte("after"), 0o644))
				require.NoError(t, vfs.Append(context.Background(), project, "/d/g", []byte("more")))
				require.NoError(t, project.Rename("/d", "/e"))
				requireExactUsage(t, project)
				_, err := project.Undo(context.Background(), "")
				require.NoError(t, err)
				ids, err := store.List(t.Context(), "", 0)
				require.NoError(t, err)
				require.Len(t, ids, 10)
				another, err := store.Open(t.Context(), "another")
				require.NoError(t, err)
				require.NoError(t, another.MkdirAll("/x/y", 0o755))
				require.NoError(t, another.Close())
				require.NoError(t, store.Delete(t.Context(), "another"))
				for _, release := range releases {
					require.NoError(t, release())
				}
			}
			// All at once, meeting after each step: none gets ahead of another, which it would if they took turns.
			step := make([]sync.WaitGroup, 5)
			for i := range step {
				step[i].Add(len(projects))
			}
			for _, project := range projects {
				group.Go(func() {
					for i := range step {
						err := vfs.Exclusively(context.Background(), project, func(files afero.Fs) error {
							step[i].Done()
							step[i].Wait()
							return afero.WriteFile(files, "/f", fmt.Append(nil, i), 0o644)
						})
						if err != nil {
							t.Error(err)
						}
					}
				})
			}
			group.Wait()
			for _, project := range projects {
				require.NoError(t, project.Close())
			}
		})
	}
}

func TestWritersWaitAndReadersDoNot(t *testing.T) {
	for name, store := range eachStore(t, vfs.Options{}) {
		t.Run(name, func(t *testing.T) {
			project, err := store.Open(t.Context(), "p")
			require.NoError(t, err)
			second, err := store.Open(t.Context(), "p")
			require.NoError(t, err)
			require.NoError(t, vfs.WriteFile(context.Background(), project, "/d/f", []byte("before")))
			appender, err := project.OpenFile("/d/f", os.O_WRONLY|os.O_APPEND, 0)
			require.NoError(t, err)
			staged, err := project.Create("/d/g")
			require.NoError(t, err)

			release := hold(t, project)
			writers := map[string]func() error{
				"a file in place":  func() error { _, err := appender.WriteString("+"); return err },
				"a finished file":  func() error { return staged.Close() },
				"another handle":   func() error { return second.Mkdir("/second", 0o755) },
				"a whole file":     func() error { return afero.WriteFile(project, "/d/h", nil, 0o644) },
				"a view":           func() error { return vfs.Sub(project, "/d").Mkdir("/view", 0o755) },
				"another function": func() error { return vfs.Append(context.Background(), project, "/d/i", nil) },
			}
			done := make(chan error)
			for name, write := range writers {
				go func() {
					if err := write(); err != nil {
						done <- fmt.Errorf("%s: %w", name, err)
						return
					}
					done <- nil
				}()
			}
			requireReadable(t, project)
			requireReadable(t, second)
			requireReadable(t, vfs.ReadOnly(project, "/"))
			_, err = second.Usage(t.Context())
			require.NoError(t, err)
			// Whoever waits can be told to stop. What does not wait would run what it has been given.
			for _, project := range []vfs.Project{project, second} {
				requireWaits(t, project)
			}
			select {
			case err := <-done:
				require.Fail(t, "a writer has not waited", err)
			default:
			}
			require.NoError(t, release())
			for range writers {
				require.NoError(t, <-done)
			}
			require.NoError(t, appender.Close())
			infos, err := afero.ReadDir(project, "/d")
			require.NoError(t, err)
			require.Len(t, infos, 5)
			requireExactUsage(t, second)
			require.NoError(t, project.Close())
		})
	}
}

// requireReadable checks that reading does not wait.
func requireReadable(t *testing.T, files afero.Fs) {
	content, err := afero.ReadFile(files, "/d/f")
	require.NoError(t, err)
	require.Equal(t, "before", string(content))
	infos, err := afero.ReadDir(files, "/d")
	require.NoError(t, err)
	require.Len(t, infos, 1)
	_, err = files.Stat("/d/none")
	require.ErrorIs(t, err, fs.ErrNotExist)
	if project, ok := files.(vfs.Project); ok {
		changes, err := project.Changes(t.Context(), "/d/f")
		require.NoError(t, err)
		require.NotEmpty(t, changes)
	}
}

// requireWaits checks that the lock cannot be had, and that waiting for it ends with the context.
func requireWaits(t *testing.T, project vfs.Project) {
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(time.Millisecond, cancel)
	err := vfs.Exclusively(ctx, project, func(afero.Fs) error { return errors.New("it has not waited") })
	require.ErrorIs(t, err, context.Canceled)
	ctx, cancel = context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	require.ErrorIs(t, vfs.Append(ctx, project, "/waiting", []byte("x")), context.DeadlineExceeded)
	ctx, cancel = context.WithTimeout(context.Background(), time.Millisecond)
	defer cancel()
	_, err = project.Undo(ctx, "")
	require.ErrorIs(t, err, context.DeadlineExceeded)
}

// holdLock holds the lock until it has been told to release it.
func holdLock(t *testing.T, work task, project vfs.Project, say func(...any)) {
	err := vfs.Exclusively(context.Background(), project, func(files afero.Fs) error {
		if err := afero.WriteFile(files, "/d/held", nil, 0o644); err != nil {
			return err
		}
		say("held")
		_, err := os.Stdin.Read(make([]byte, 1))
		say("releasing")
		if err == io.EOF {
			err = nil
		}
		return err
	})
	require.NoError(t, err)
}

func TestProcessesWaitForEachOther(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	dir := t.TempDir()
	options := vfs.Options{NoSync: true}
	project := openIn(t, dir, &options)
	require.NoError(t, vfs.WriteFile(context.Background(), project, "/d/f", []byte("before")))
	for name, end := range map[string]func(holder *process){
		"until the lock is released": func(holder *process) {
			require.NoError(t, holder.input.Close())
			holder.expect("releasing")
			holder.wait()
		},
		"until the process dies": func(holder *process) { holder.kill() },
	} {
		t.Run(name, func(t *testing.T) {
			if err := project.Remove("/d/held"); err != nil {
				require.ErrorIs(t, err, fs.ErrNotExist)
			}
			holder := start(t, task{Role: "hold", Dir: dir, Options: options})
			holder.expect("held")
			content, err := afero.ReadFile(project, "/d/f")
			require.NoError(t, err)
			require.Equal(t, "before", string(content))
			_, err = project.Stat("/d/held")
			require.NoError(t, err, "what others do is seen at once")
			second := openIn(t, dir, &options)
			requireWaits(t, project)
			requireWaits(t, project) // behind the first one, which still waits for the other process
			requireWaits(t, second)
			waiting := make(chan error)
			go func() { waiting <- vfs.Append(context.Background(), project, "/d/waited", []byte("x")) }()
			go func() { waiting <- vfs.Append(context.Background(), second, "/d/waited", []byte("x")) }()
			select {
			case err := <-waiting:
				require.Fail(t, "a writer has not waited", err)
			default:
			}
			end(holder)
			require.NoError(t, <-waiting)
			require.NoError(t, <-waiting)
			content, err = afero.ReadFile(project, "/d/waited")
			require.NoError(t, err)
			require.Equal(t, "xx", string(content))
			require.NoError(t, project.Remove("/d/waited"))
			requireExactUsage(t, project)
			requireExactUsage(t, second)
			require.NoError(t, second.Close())

			// The lock is in order for processes to come, too.
			after := start(t, task{Role: "hold", Dir: dir, Options: options})
			after.expect("held")
			require.NoError(t, after.input.Close())
			after.wait()
		})
	}
	require.NoError(t, project.Close())
}

// fullTimes is how many times in a row there must be no room until somebody gives up.
const fullTimes = 20

// fillWithBytes makes files larger in all ways there are, each time by 100 bytes, until there is no room.
func fillWithBytes(t *testing.T, work task, project vfs.Project, say func(...any)) {
	say("begun")
	random := rand.New(rand.NewPCG(work.Seed, 1))
	piece := bytes.Repeat([]byte("x"), 100)
	ctx := context.Background()
	inPlace, err := project.OpenFile(fmt.Sprint("/in place ", work.Seed), os.O_RDWR|os.O_CREATE, 0o644)
	require.NoError(t, err)
	for failed := 0; failed < fullTimes; {
		var err error
		switch random.IntN(5) {
		case 0:
			err = vfs.Append(ctx, project, fmt.Sprint("/appended ", work.Seed), piece)
		case 1:
			var info fs.FileInfo
			info, err = inPlace.Stat()
			require.NoError(t, err)
			if random.IntN(2) == 0 {
				err = inPlace.Truncate(info.Size() + 100)
			} else {
				_, err = inPlace.WriteAt(piece, info.Size())
			}
		case 2:
			err = vfs.Append(ctx, project, "/shared", piece)
		case 3:
			name := fmt.Sprint("/new ", work.Seed)
			if err = afero.WriteFile(project, name, piece, 0o644); err == nil {
				// Replacing and removing makes room again.
				err = errors.Join(project.Rename(name, name+"!"), project.RemoveAll(name))
			}
		case 4:
			err = vfs.Edit(ctx, project, "/shared", func(content []byte) ([]byte, error) {
				return append(content, piece...), nil
			})
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
		}
		if err == nil {
			failed = 0
			continue
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
		var quota *vfs.QuotaError
		require.ErrorAs(t, err, &quota)
		require.Equal(t, "bytes", quota.Limit)
		failed++
	}
	require.NoError(t, inPlace.Close())
}

// fillWithFiles makes files and directories in all ways there are until there is no room.
func fillWithFiles(t *testing.T, work task, project vfs.Project, say func(...any)) {
	say("begun")
	random := rand.New(rand.NewPCG(work.Seed, 2))
	ctx := context.Background()
	top := fmt.Sprint("/", work.Seed)
	for i, failed := 0, 0; failed < fullTimes; i++ {
		name := fmt.Sprint(top, " ", i)
		var err error
		switch random.IntN(5) {
		case 0:
			err = project.Mkdir(name, 0o755)
		case 1:
			err = afero.WriteFile(project, name, nil, 0o644)
		case 2:
			var f afero.File
			if f, err = project.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644); err == nil {
				err = f.Close()
			}
		case 3:
			err = project.MkdirAll(name+"/x/y", 0o755)
		case 4:
			if err = project.Mkdir(name, 0o755); err == nil {
				err = vfs.Copy(ctx, project, name, name+"!")
			}
		}
		if err == nil {
			failed = 0
			continue
		}
		require.ErrorIs(t, err, syscall.ENOSPC)
		var quota *vfs.QuotaError
		require.ErrorAs(t, err, &quota)
		require.Equal(t, "files", quota.Limit)
		failed++
	}
}

func TestProcessesTogetherStayWithinTheQuota(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long")
	}
	for name, test := range map[string]struct {
		role  string
		quota vfs.Quota
		want  vfs.Usage
	}{
		"bytes": {"fill", vfs.Quota{Bytes: 40_050}, vfs.Usage{Bytes: 40_000}},
		"files": {"files", vfs.Quota{Files: 200}, vfs.Usage{Files: 200}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			options := vfs.Options{NoSync: true, Quota: test.quota}
			project, watched := openIn(t, dir, &options), openIn(t, dir, &options)
			stop, stopped := make(chan struct{}), make(chan error)
			go func() {
				for {
					select {
					case <-stop:
						stopped <- nil
						return
					default:
					}
					// With the lock, nothing changes while all is counted.
					err := vfs.Exclusively(context.Background(), watched, func(files afero.Fs) error {
						found, err := recount(files)
						if err != nil {
							return err
						}
						if test.quota.Bytes > 0 && found.Bytes > test.quota.Bytes || test.quota.Files > 0 &&
							found.Files > test.quota.Files {
							return fmt.Errorf("there is too much: %+v", found)
						}
						return nil
					})
					if err != nil {
						<-stop
						stopped <- err
						return
					}
				}
			}()
			together(t, project, task{Role: test.role, Dir: dir, Options: options})
			close(stop)
			require.NoError(t, <-stopped)
			usage, err := project.Usage(t.Context())
			require.NoError(t, err)
			if test.want.Bytes > 0 {
				require.Equal(t, test.want.Bytes, usage.Bytes, "everybody has gone on until there was no room")
			} else {
				require.Equal(t, test.want.Files, usage.Files, "everybody has gone on until there was no room")
			}
			requireExactUsage(t, project)
			requireExactUsage(t, watched)
			require.NoError(t, project.Close())
			require.NoError(t, watched.Close())
		})
	}
}

func TestGoroutinesTogetherStayWithinTheQuota(t *testing.T) {
	for role, quota := range map[string]vfs.Quota{"fill": {Bytes: 40_050}, "files": {Files: 200}} {
		for name, store := range eachStore(t, vfs.Options{Quota: quota}) {
			t.Run(name+" "+role, func(t *testing.T) {
				project, err := store.Open(t.Context(), "p")
				require.NoError(t, err)
				var group sync.WaitGroup
				for i := range 4 {
					group.Go(func() {
						handle, err := store.Open(t.Context(), "p")
						if err != nil {
							t.Error(err)
							return
						}
						processRoles[role](t, task{Seed: uint64(i)}, handle, func(...any) {})
						if err := handle.Close(); err != nil {
							t.Error(err)
						}
					})
				}
				group.Wait()
				usage, err := project.Usage(t.Context())
				require.NoError(t, err)
				if role == "fill" {
					require.EqualValues(t, 40_000, usage.Bytes)
				} else {
					require.EqualValues(t, 200, usage.Files)
				}
				requireExactUsage(t, project)
			})
		}
	}
}
