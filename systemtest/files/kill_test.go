//go:build systemtest

package files_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// A task is what a test has a process of its own do: the test binary again, which finds the task in its environment.
type task struct {
	// Role is a key of processRoles.
	Role string
	// Dir is the directory of the store, and Options how it is to be opened.
	Dir     string
	Options vfs.Options
	// Own, if not "", makes Dir a directory of the host whose history is there, or whose Layer is.
	Own   string
	Layer bool
	// Seed and Count mean something to the role.
	Seed  uint64
	Count int
}

const taskVar = "VFS_TEST_TASK"

// processRoles are what processes can do with a project. What they say, a line each, the test can read.
var processRoles map[string]func(t *testing.T, work task, project vfs.Project, say func(words ...any))

func init() {
	processRoles = map[string]func(*testing.T, task, vfs.Project, func(...any)){
		"change":  changeForever,
		"edit":    editCounters,
		"append":  appendLines,
		"inplace": appendInPlace,
		"hold":    holdLock,
		"fill":    fill,
		"files":   makeFiles,
		"apply":   applyForever,
		"restore": restoreForever,
		"purge":   purgeForever,
	}
}

// TestProcess is no test by itself, but the processes that other tests start.
func TestProcess(t *testing.T) {
	text, ok := os.LookupEnv(taskVar)
	if !ok {
		t.Skip("this is what other tests start")
	}
	var work task
	require.NoError(t, json.Unmarshal([]byte(text), &work))
	project := work.open(t)
	processRoles[work.Role](t, work, project, func(words ...any) { fmt.Println(words...) })
	require.NoError(t, project.Close())
}

// open opens the project of a task as if nobody in this process had opened it before.
func (work task) open(t *testing.T) (project vfs.Project) {
	t.Helper()
	var err error
	switch {
	case work.Layer:
		project, err = local.OpenLayer(work.Dir, work.Own, &work.Options)
	case work.Own != "":
		project, err = local.OpenDirApart(work.Dir, work.Own, &work.Options)
	default:
		return storetest.OpenIn(t, work.Dir, &work.Options)
	}
	require.NoError(t, err)
	return project
}

// temporaries returns the directory for temporary files.
func (work task) temporaries() string {
	switch {
	case work.Layer:
		return filepath.Join(work.Own, ".toolrun", "tmp")
	case work.Own != "":
		return filepath.Join(work.Dir, ".toolrun", "tmp")
	}
	return filepath.Join(work.Dir, "p", ".toolrun", "tmp")
}

// A process is one that a test has started.
type process struct {
	t       *testing.T
	command *exec.Cmd
	lines   *bufio.Scanner
	stderr  bytes.Buffer
	input   io.Closer
}

// start starts a process. It ends at the latest when its standard input does, so that none outlives the test.
func start(t *testing.T, work task) *process {
	text, err := json.Marshal(work)
	require.NoError(t, err)
	binary, err := os.Executable()
	require.NoError(t, err)
	p := &process{t: t, command: exec.Command(binary, "-test.run=^TestProcess$", "-test.count=1")}
	p.command.Env = append(os.Environ(), taskVar+"="+string(text))
	p.command.Stderr = &p.stderr
	output, err := p.command.StdoutPipe()
	require.NoError(t, err)
	p.lines = bufio.NewScanner(output)
	p.input, err = p.command.StdinPipe()
	require.NoError(t, err)
	require.NoError(t, p.command.Start())
	t.Cleanup(func() {
		_ = p.command.Process.Kill()
		_ = p.command.Wait()
	})
	return p
}

// expect waits for the next line that the process says.
func (p *process) expect(line string) {
	if !p.lines.Scan() || p.lines.Text() != line {
		got := p.lines.Text()
		require.Equal(p.t, line, got+"\n"+p.rest()+p.stderr.String())
	}
}

// wait waits until the process has ended by itself, and returns what it has said.
func (p *process) wait() string {
	rest := p.rest()
	err := p.command.Wait()
	require.NoError(p.t, err, rest+p.stderr.String())
	return rest
}

// kill ends the process at once, and returns what it has said.
func (p *process) kill() string {
	require.NoError(p.t, p.command.Process.Kill())
	rest := p.rest()
	err := p.command.Wait()
	var exit *exec.ExitError
	require.ErrorAs(p.t, err, &exit)
	require.False(p.t, exit.Exited() && runtime.GOOS != "windows", "it has failed by itself: "+rest+p.stderr.String())
	return rest
}

func (p *process) rest() string {
	var rest strings.Builder
	for p.lines.Scan() {
		rest.WriteString(p.lines.Text() + "\n")
	}
	return rest.String()
}

// endWithInput ends the process when its standard input does.
func endWithInput() {
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(3)
	}()
}

// Files contain records, from which can be told whether they are whole: what they are, their length and a sum, and then
// bytes.
const recordHeader = "record\x00\x00"

// record returns one with a payload of this size.
func record(random *rand.Rand, size int) []byte {
	payload := bytes.Repeat(binary.LittleEndian.AppendUint64(nil, random.Uint64()), size/8+1)[:size]
	out := make([]byte, 0, len(recordHeader)+8+size)
	out = append(out, recordHeader...)
	out = binary.LittleEndian.AppendUint32(out, uint32(size))
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(payload))
	return append(out, payload...)
}

// whole says why a file does not consist of whole records.
func whole(content []byte) error {
	for at := 0; at < len(content); {
		rest := content[at:]
		header := len(recordHeader) + 8
		if len(rest) < header || string(rest[:len(recordHeader)]) != recordHeader {
			return fmt.Errorf("no record begins at byte %d of %d", at, len(content))
		}
		size := int(binary.LittleEndian.Uint32(rest[header-8:]))
		if len(rest) < header+size {
			return fmt.Errorf("the record at byte %d of %d is too short", at, len(content))
		}
		if crc32.ChecksumIEEE(rest[header:header+size]) != binary.LittleEndian.Uint32(rest[header-4:]) {
			return fmt.Errorf("the record at byte %d of %d is damaged", at, len(content))
		}
		at += header + size
	}
	return nil
}

// Where changeForever does what it does.
const (
	// counterFile has the seed of the process, and how often it has been written by it.
	counterFile = "/counter"
	// inPlaceFile is written in place, and so need not be whole.
	inPlaceFile = "/log/in place"
)

// changeForever does all kinds of changes until it is killed. It says when it has begun, and after each writing of the
// counter what that is.
func changeForever(t *testing.T, work task, project vfs.Project, say func(...any)) {
	endWithInput()
	random := rand.New(rand.NewPCG(work.Seed, 0))
	ctx := context.Background()
	some := func() string { return fmt.Sprintf("/files/%d", random.IntN(8)) }
	tree := func() string { return fmt.Sprintf("/trees/%d", random.IntN(3)) }
	size := func() int {
		switch random.IntN(8) {
		case 0:
			return 0
		case 1:
			return random.IntN(300 << 10)
		case 2, 3:
			return random.IntN(30 << 10)
		}
		return random.IntN(1000)
	}
	content := func() []byte {
		if size := size(); size > 0 {
			return record(random, size)
		}
		return nil
	}
	expected := func(err error) error {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrExist) || errors.Is(err, syscall.ENOTDIR) {
			return nil
		}
		return err
	}
	require.NoError(t, project.MkdirAll("/files", 0o755))
	require.NoError(t, project.MkdirAll("/trees", 0o755))
	require.NoError(t, project.MkdirAll("/log", 0o755))
	say("begun")
	count := 0
	for i := 0; ; i++ {
		id := fmt.Sprintf("%d-%d", work.Seed, i)
		files := project.WithCall(id)
		var err error
		undoable := true
		switch random.IntN(19) {
		case 0, 1:
			err = afero.WriteFile(files, some(), content(), 0o644)
		case 2:
			err = vfs.Edit(ctx, files, some(), func(old []byte) ([]byte, error) {
				if err := whole(old); err != nil {
					return nil, err
				}
				return content(), nil
			})
		case 3, 4:
			name := some()
			if info, statErr := files.Stat(name); statErr == nil && info.Size() > 300<<10 {
				err = files.Remove(name)
			} else {
				err = vfs.Append(ctx, files, name, record(random, random.IntN(2000)))
			}
		case 5:
			name := tree()
			for j := range random.IntN(4) {
				if err == nil {
					err = vfs.WriteFile(ctx, files, fmt.Sprintf("%s/%d/%d", name, random.IntN(2), j), content())
				}
			}
		case 6:
			err = vfs.Copy(ctx, files, tree(), tree())
		case 7:
			err = files.RemoveAll(tree())
		case 8:
			err = files.Rename(some(), some())
		case 9:
			err = files.Rename(tree(), tree())
		case 10:
			err = files.MkdirAll(fmt.Sprintf("%s/%d/new/%d", tree(), random.IntN(2), random.IntN(2)), 0o755)
			if random.IntN(4) == 0 {
				err = errors.Join(err, files.RemoveAll(some()))
			}
		case 11:
			var f afero.File
			f, err = files.OpenFile(inPlaceFile, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
			if err == nil {
				_, err = f.Write(make([]byte, random.IntN(3000)))
				if random.IntN(16) == 0 {
					err = errors.Join(err, f.Truncate(0))
				}
				err = errors.Join(err, f.Close())
			}
		case 12:
			err = vfs.Move(ctx, files, some(), tree()+"/0/moved")
		default:
			undoable = false
			count++
			err = afero.WriteFile(files, counterFile, fmt.Appendf(nil, "%d %d", work.Seed, count), 0o644)
			if err == nil {
				say(count)
			}
		}
		require.NoError(t, expected(err), "seed %d, change %d", work.Seed, i)
		if undoable && random.IntN(8) == 0 {
			// Nobody has changed anything since, so there is nothing in the way; but perhaps nothing has happened.
			// A tree can have become larger than all of the history.
			_, err = project.Undo(ctx, id)
			if undo, ok := errors.AsType[*vfs.UndoError](err); ok && len(undo.Reasons) == 1 &&
				strings.HasSuffix(undo.Reasons[0], " was too large to keep") {
				err = nil
			}
			require.NoError(t, expected(err), "seed %d, undoing change %d", work.Seed, i)
		}
	}
}

// soak makes tests that look for rare failures run for minutes instead of seconds.
var soak = flag.Bool("soak", false, "run the long versions of tests")

// shortHistory keeps the history short, so that looking through all of it takes little time.
var shortHistory = vfs.HistoryOptions{Bytes: 640 << 10}

func TestAKilledProcessLeavesNothingHalfDone(t *testing.T) {
	for name, test := range map[string]struct {
		options      vfs.Options
		times, long  int
		apart, layer bool
	}{
		"with syncing":    {vfs.Options{History: shortHistory}, 5, 80, false, false},
		"without syncing": {vfs.Options{History: shortHistory, NoSync: true}, 10, 600, false, false},
		"without history": {vfs.Options{History: vfs.HistoryOptions{Off: true}, NoSync: true}, 5, 60, false, false},
		"history apart":   {vfs.Options{History: shortHistory, NoSync: true}, 4, 300, true, false},
		"in a layer":      {vfs.Options{History: shortHistory, NoSync: true}, 4, 300, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			times := test.times
			if *soak {
				times = test.long
			}
			work := task{Role: "change", Dir: t.TempDir(), Options: test.options, Layer: test.layer}
			if test.apart {
				work.Own = t.TempDir()
			}
			// One that has the project open all the time sees the same as those that come anew.
			old := work.open(t)
			for i := range times {
				seed := uint64(time.Now().UnixNano())
				work.Seed = seed
				child := start(t, work)
				child.expect("begun")
				time.Sleep(rand.N(20 * time.Millisecond))
				said := child.kill()

				fresh := work.open(t)
				requireWholeFiles(t, fresh)
				requireCounter(t, fresh, seed, said)
				requireWholeHistory(t, fresh)
				if i%2 == 0 {
					storetest.RequireExactUsage(t, old)
				}
				storetest.RequireExactUsage(t, fresh)
				requireNoLeftovers(t, work.temporaries())
				requireWholeHistory(t, fresh)
				if i%4 == 0 {
					_, err := fresh.Undo(context.Background(), "")
					var refused *vfs.UndoError
					if err != nil && !errors.As(err, &refused) {
						require.ErrorIs(t, err, vfs.ErrNotKept)
					}
					requireWholeFiles(t, fresh)
					storetest.RequireExactUsage(t, fresh)
				}
				require.NoError(t, fresh.Close())
			}
			require.NoError(t, old.Close())
		})
	}
}

func requireWholeFiles(t *testing.T, files afero.Fs) {
	require.NoError(t, afero.Walk(files, "/", func(name string, info fs.FileInfo, err error) error {
		if err != nil || info.IsDir() || name == inPlaceFile || name == counterFile {
			return err
		}
		content, err := afero.ReadFile(files, name)
		if err == nil && int64(len(content)) != info.Size() {
			err = errors.New("the size is wrong")
		}
		if err == nil {
			err = whole(content)
		}
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		return err
	}))
}

// requireCounter checks that what the process has said to be written is there.
func requireCounter(t *testing.T, files afero.Fs, seed uint64, said string) {
	lines := strings.Fields(said)
	if len(lines) == 0 {
		return
	}
	last, err := strconv.Atoi(lines[len(lines)-1])
	require.NoError(t, err, said)
	text, err := afero.ReadFile(files, counterFile)
	require.NoError(t, err)
	var by uint64
	var written int
	_, err = fmt.Sscan(string(text), &by, &written)
	require.NoError(t, err, string(text))
	require.Equal(t, seed, by)
	require.Contains(t, []int{last, last + 1}, written)
}

// requireWholeHistory checks that the history has no gap, and that all that it has can be had.
func requireWholeHistory(t *testing.T, project vfs.Project) {
	changes, err := project.Changes(t.Context(), "/")
	require.NoError(t, err)
	for i, change := range changes {
		if i > 0 {
			require.Equal(t, changes[i-1].ID-1, change.ID)
		}
		if !change.Kept {
			continue
		}
		f, err := project.OpenVersion(t.Context(), change.ID)
		if errors.Is(err, syscall.EISDIR) {
			require.Equal(t, vfs.OpRemove, change.Op)
			continue
		}
		if i == 0 && errors.Is(err, fs.ErrNotExist) {
			continue // it has not happened, but nobody has changed anything since and seen that
		}
		require.NoError(t, err, "%+v", change)
		content, err := io.ReadAll(f)
		require.NoError(t, err)
		require.NoError(t, f.Close())
		if change.Path != inPlaceFile && change.Path != counterFile {
			require.NoError(t, whole(content), "%+v", change)
		}
	}
}

// requireNoLeftovers checks that there are no temporary files but those that say who has the project open.
func requireNoLeftovers(t *testing.T, dir string) {
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	for _, entry := range entries {
		require.Equal(t, ".lock", filepath.Ext(entry.Name()), entry.Name())
	}
	require.LessOrEqual(t, len(entries), 2)
}
