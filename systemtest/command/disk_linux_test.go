//go:build systemtest

package command_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/toolrun/toolrun/internal/test/commandtest"

	"github.com/stretchr/testify/require"
)

// onSmallDisk runs a test again in a process that may mount file systems, with one of this size. It returns the
// directory of that to the process, and nothing to the test that has only started it.
func onSmallDisk(t *testing.T, size int) (dir string) {
	const inside = "TOOLRUN_TEST_DISK"
	if dir := os.Getenv(inside); dir != "" {
		require.NoError(t, syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)))
		return dir
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v", "-soak")
	cmd.Env = append(os.Environ(), inside+"="+t.TempDir())
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.CombinedOutput()
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EINVAL) ||
		bytes.Contains(out, []byte("operation not permitted")) {
		t.Skip("this user cannot mount a file system: ", err)
	}
	require.NoError(t, err, "%s", out)
	require.Contains(t, string(out), "--- PASS: "+t.Name())
	return ""
}

// fillDisk leaves no room on a disk, and returns the file that takes it.
func fillDisk(t *testing.T, dir string) string {
	name := filepath.Join(dir, "filler")
	f, err := os.Create(name)
	require.NoError(t, err)
	defer f.Close()
	for piece := 1 << 20; piece > 0; {
		if _, err := f.Write(make([]byte, piece)); err != nil {
			require.ErrorIs(t, err, syscall.ENOSPC)
			piece /= 2
		}
	}
	return name
}

// result is what a command has come to.
type result struct {
	status      int
	out, errors string
}

func runCommand(t *testing.T, env []string, args ...string) result {
	cmd := commandtest.Command(args...)
	cmd.Env = append(cmd.Env, env...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	_ = cmd.Run()
	require.NotContains(t, out.String()+stderr.String(), "goroutine ", "%q", args)
	return result{cmd.ProcessState.ExitCode(), out.String(), stderr.String()}
}

// content is what is in a directory, by path, but for what is the project's own.
func content(t *testing.T, dir string) map[string]string {
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == ".toolrun":
			return fs.SkipDir
		case d.Name() == "filler" || d.IsDir():
			return nil
		}
		data, err := os.ReadFile(name)
		all[name] = string(data)
		return err
	}))
	return all
}

// diskCommands change a project that has the file /old of 100 KB.
func diskCommands(t *testing.T) [][]string {
	dir := t.TempDir()
	large := filepath.Join(dir, "large")
	require.NoError(t, os.WriteFile(large, bytes.Repeat([]byte("n"), 300<<10), 0o644))
	many := filepath.Join(dir, "many")
	require.NoError(t, os.Mkdir(many, 0o755))
	for i := range 50 {
		require.NoError(t, os.WriteFile(filepath.Join(many, fmt.Sprint(i)), bytes.Repeat([]byte("n"), 10<<10), 0o644))
	}
	archive := filepath.Join(dir, "many.tar")
	require.Zero(t, runCommand(t, nil, "files", "--root", many, "export", archive).status)
	return [][]string{
		{"js", "-e", `fs.writeFileSync('/old', 'n'.repeat(3e5))`},
		{"js", "-e", `fs.writeFileSync('/a/b/new', 'n'.repeat(3e5))`},
		{"js", "-e", `fs.appendFileSync('/old', 'n'.repeat(3e5))`},
		{"js", "-e", `for (let i = 0; i < 300; i++) fs.writeFileSync('/dirs/' + i, 'n'.repeat(1000))`},
		{
			"js",
			"-e",
			`fs.copyFileSync('/old', '/a-copy'); fs.copyFileSync('/old', '/another');
				fs.copyFileSync('/old', '/a-third')`,
		},
		{"call", "filesystem", `{"command": "create", "path": "/tool", "file_text": "` + strings.Repeat("n",
			100<<10) + `"}`},
		{"call", "memory", `{"command": "create", "path": "/memories/tool", "file_text": "` + strings.Repeat("n",
			100<<10) + `"}`},
		{"files", "put", large, "/old"},
		{"files", "put", large, "/large"},
		{"files", "put", many, "/"},
		{"files", "import", archive},
		{"files", "cp", "/old", "/copied"},
	}
}

// readingCommands change nothing in such a project.
var readingCommands = [][]string{{"files", "cat", "/old"}, {"files", "ls"}, {"files", "history"},
	{"js", "-e", `return fs.readFileSync('/old').length`}}

// TestFullDisks runs commands where there is no room. They must say so, lose nothing that was there, and work when
// there is room again.
func TestFullDisks(t *testing.T) {
	if !*soak {
		t.Skip("takes long: -soak runs it")
	}
	t.Parallel()
	dir := onSmallDisk(t, 8<<20)
	if dir == "" {
		return
	}
	data, root := filepath.Join(dir, "data"), filepath.Join(dir, "root")
	require.NoError(t, os.Mkdir(root, 0o755))
	places := [][]string{{"--data", data}, {"--root", root}}
	for _, where := range places {
		for _, args := range diskCommands(t) {
			name := where[0] + " " + args[0] + " " + args[1] + " " + args[2][:min(len(args[2]), 60)]
			with := append(append([]string{}, args...), where...)
			old := filepath.Join(dir, "..", "old")
			require.NoError(t, os.WriteFile(old, bytes.Repeat([]byte("o"), 100<<10), 0o644))
			got := runCommand(t, nil, append([]string{"files", "put", old, "/old"}, where...)...)
			require.Zero(t, got.status, got.errors)
			before := content(t, dir)

			filler := fillDisk(t, dir)
			got = runCommand(t, nil, with...)
			require.Contains(t, []int{1, 2}, got.status, "%s: %v", name, got)
			require.Regexp(t, "(?i)no space left|ENOSPC", got.out+got.errors, name)
			for file, text := range before {
				now, err := os.ReadFile(file)
				require.NoError(t, err, name)
				require.True(t, text == string(now) || strings.HasPrefix(args[2], "fs.append"), "%s: %s has changed",
					name, file)
			}
			for _, reading := range readingCommands {
				got = runCommand(t, nil, append(reading, where...)...)
				require.Zero(t, got.status, "%s: %s: %s", name, reading, got.errors)
			}

			require.NoError(t, os.Remove(filler))
			got = runCommand(t, nil, with...)
			require.Zero(t, got.status, "%s: %s%s", name, got.out, got.errors)
			temporary, err := filepath.Glob(filepath.Join(dir, "*", ".toolrun", "tmp", "*"))
			require.NoError(t, err)
			inProjects, err := filepath.Glob(filepath.Join(dir, "data", "projects", "*", ".toolrun", "tmp", "*"))
			require.NoError(t, err)
			for _, left := range append(temporary, inProjects...) {
				require.Equal(t, ".lock", filepath.Ext(left), name)
			}
			require.NoError(t, os.RemoveAll(data))
			require.NoError(t, os.RemoveAll(root))
			require.NoError(t, os.Mkdir(root, 0o755))
		}
	}
}

// TestDisksThatCanOnlyBeRead runs commands on what cannot be changed.
func TestDisksThatCanOnlyBeRead(t *testing.T) {
	if !*soak {
		t.Skip("takes long: -soak runs it")
	}
	t.Parallel()
	dir := onSmallDisk(t, 64<<20)
	if dir == "" {
		return
	}
	data, root, cache := filepath.Join(dir, "data"), filepath.Join(dir, "root"), filepath.Join(dir, "cache")
	require.NoError(t, os.Mkdir(root, 0o755))
	places := [][]string{{"--data", data}, {"--root", root}}
	old := filepath.Join(dir, "given")
	require.NoError(t, os.WriteFile(old, bytes.Repeat([]byte("o"), 100<<10), 0o644))
	for _, where := range places {
		require.Zero(t, runCommand(t, nil, append([]string{"files", "put", old, "/old"}, where...)...).status)
	}
	untouched := filepath.Join(dir, "untouched")
	require.NoError(t, os.Mkdir(untouched, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(untouched, "old"), []byte("o"), 0o644))
	cached := []string{"XDG_CACHE_HOME=" + cache}
	for range 2 { // the second one makes the image of what the first one has compiled
		require.Equal(t, result{0, "42\n", ""}, runCommand(t, cached, "js", "-e", "return 42"))
	}
	commands := diskCommands(t)
	before := content(t, dir)

	require.NoError(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	require.ErrorIs(t, os.WriteFile(filepath.Join(dir, "probe"), nil, 0o644), syscall.EROFS)
	places = append(places, []string{"--root", untouched})
	for _, where := range places {
		for _, args := range readingCommands {
			got := runCommand(t, nil, append(append([]string{}, args...), where...)...)
			require.Zero(t, got.status, "%q %q: %s%s", where, args, got.out, got.errors)
		}
		for _, args := range append(commands, []string{"files", "rm", "/old"}, []string{"files", "mv", "/old", "/new"},
			[]string{"files", "mkdir", "/new"}) {
			got := runCommand(t, nil, append(append([]string{}, args...), where...)...)
			require.Contains(t, []int{1, 2}, got.status, "%q %q", where, args)
			require.Regexp(t, "(?i)read-only file system|EROFS", got.out+got.errors, "%q %q", where, args)
		}
	}
	for _, args := range [][]string{{"project", "set", "--disable", "javascript"}, {"project", "delete", "default"},
		{"js", "--project", "another", "-e", "return 1"}} {
		got := runCommand(t, nil, append(args, "--data", data)...)
		require.Equal(t, 2, got.status, "%q: %s", args, got.out)
		require.Contains(t, got.errors, "read-only file system", "%q", args)
	}
	require.Equal(t, result{0, "42\n", ""}, runCommand(t, cached, "js", "-e", "return 42"),
		"what is in the cache is used")
	got := runCommand(t, []string{"XDG_CACHE_HOME=" + filepath.Join(dir, "another")}, "js", "-e", "return 42")
	require.Equal(t, "42\n", got.out)
	require.Regexp(t, "^toolrun: warning: the engine was compiled anew, .* read-only file system\n$", got.errors)
	require.Equal(t, before, content(t, dir))
}

// TestAFullDiskForTheCache lets the command have no room for what it compiles.
func TestAFullDiskForTheCache(t *testing.T) {
	if !*soak {
		t.Skip("takes long: -soak runs it")
	}
	t.Parallel()
	dir := onSmallDisk(t, 16<<20)
	if dir == "" {
		return
	}
	cache := filepath.Join(dir, "cache")
	require.NoError(t, os.Mkdir(cache, 0o700))
	run := func() result { return runCommand(t, []string{"XDG_CACHE_HOME=" + cache}, "js", "-e", "return 42") }
	filler := fillDisk(t, dir)
	for _, room := range []int64{0, 3 << 20} { // for nothing, and for some of it
		info, err := os.Stat(filler)
		require.NoError(t, err)
		require.NoError(t, os.Truncate(filler, info.Size()-room))
		got := run()
		require.Equal(t, "42\n", got.out)
		require.Regexp(t, "^toolrun: warning: the engine was compiled anew, .* no space left on device\n$", got.errors)
		left, err := filepath.Glob(filepath.Join(cache, "toolrun", "engine", "*"))
		require.NoError(t, err)
		require.Empty(t, left)
	}
	require.NoError(t, os.Remove(filler))
	for range 2 {
		require.Equal(t, result{0, "42\n", ""}, run())
	}
	left, err := filepath.Glob(filepath.Join(cache, "toolrun", "engine", "*"))
	require.NoError(t, err)
	require.Len(t, left, 2)
}

// TestTimesOfFiles lists files that have times that no clock has had, which this kind of disk can keep.
func TestTimesOfFiles(t *testing.T) {
	dir := onSmallDisk(t, 4<<20)
	if dir == "" {
		return
	}
	for _, year := range []int{-1000, 1, 1969, 2500, 20_000} {
		name, then := filepath.Join(dir, fmt.Sprint(year)), time.Date(year, 1, 1, 0, 0, 0, 0, time.UTC)
		require.NoError(t, os.WriteFile(name, []byte("text"), 0o644))
		tv := []syscall.Timespec{{Sec: then.Unix()}, {Sec: then.Unix()}}
		require.NoError(t, syscall.UtimesNano(name, tv))
	}
	for args, want := range map[string]string{
		"files ls --json": `"path":"/20000","type":"file",` +
			`"size":4,"modified":"9999-12-31T23:59:59.999999999Z"`,
		"files tree --json":           `"path":"/-1000","type":"file","size":4,"modified":"0000-01-01T00:00:00Z"`,
		"files ls -l":                 "20000-01-01",
		"files export --format tar -": "ustar",
	} {
		got := runCommand(t, nil, append(strings.Fields(args), "--root", dir)...)
		require.Zero(t, got.status, got.errors)
		require.Contains(t, got.out, want)
	}
	for name, want := range map[string]string{"20000": "568971820800000", "-1000": "-93724128000000"} {
		got := runCommand(t, nil, "js", "--root", dir, "-e",
			fmt.Sprintf(`const {mtimeMs} = fs.statSync('/%[1]s'); fs.writeFileSync('/%[1]s', 'new'); return mtimeMs`,
				name))
		require.Equal(t, result{0, want + "\n", ""}, got)
	}
	require.Zero(t, runCommand(t, nil, "files", "--root", dir, "undo").status)
}
