//go:build systemtest

package files_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
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
	dir := t.TempDir()
	options := vfs.Options{NoSync: true}
	project := storetest.OpenIn(t, dir, &options)
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
	storetest.RequireExactUsage(t, project)
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
	for name, role := range map[string]string{"as a whole": "append", "in place": "inplace"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			options := vfs.Options{NoSync: true}
			project := storetest.OpenIn(t, dir, &options)
			work := task{Role: role, Dir: dir, Options: options, Count: 200}
			together(t, project, work)
			lines, err := afero.ReadFile(project, appendedFile)
			require.NoError(t, err)
			requireLines(t, string(lines), work.Count)
			storetest.RequireExactUsage(t, project)
			require.NoError(t, project.Close())
		})
	}
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
	dir := t.TempDir()
	options := vfs.Options{NoSync: true}
	project := storetest.OpenIn(t, dir, &options)
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
			second := storetest.OpenIn(t, dir, &options)
			storetest.RequireWaits(t, project)
			storetest.RequireWaits(t, project) // behind the first one, which still waits for the other process
			storetest.RequireWaits(t, second)
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
			storetest.RequireExactUsage(t, project)
			storetest.RequireExactUsage(t, second)
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

func TestProcessesTogetherStayWithinTheQuota(t *testing.T) {
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
			project, watched := storetest.OpenIn(t, dir, &options), storetest.OpenIn(t, dir, &options)
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
						found, err := storetest.Recount(files)
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
			storetest.RequireExactUsage(t, project)
			storetest.RequireExactUsage(t, watched)
			require.NoError(t, project.Close())
			require.NoError(t, watched.Close())
		})
	}
}

// fill makes files larger, and makeFiles makes files, until there is no room.
func fill(t *testing.T, work task, project vfs.Project, say func(...any)) {
	say("begun")
	storetest.FillWithBytes(t, project, work.Seed)
}

func makeFiles(t *testing.T, work task, project vfs.Project, say func(...any)) {
	say("begun")
	storetest.FillWithFiles(t, project, work.Seed)
}
