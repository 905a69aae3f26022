//go:build systemtest && linux && amd64 && !race

package command_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"github.com/toolrun/toolrun/internal/test/commandtest"
	"github.com/toolrun/toolrun/internal/test/toolruntest"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"

	"github.com/toolrun/toolrun/internal/test/enginetest"
)

// The filters of system calls: that of a command, and that of one that listens, too.
const (
	seccompProfile     = "../../contrib/seccomp/toolrun.json"
	seccompHTTPProfile = "../../contrib/seccomp/toolrun-http.json"
)

// A confinement is what a process of the test binary puts itself under before it becomes the command.
type confinement struct {
	Filter      []unix.SockFilter // of system calls
	Read, Write []string          // directories for Landlock; none of both: no Landlock
}

const confinementEnv = "TOOLRUN_TEST_CONFINEMENT"

func init() {
	encoded := os.Getenv(confinementEnv)
	if encoded == "" {
		return
	}
	var c confinement
	err := json.Unmarshal([]byte(encoded), &c)
	if err == nil {
		err = c.enter()
	}
	fmt.Fprintln(os.Stderr, "confinement:", err)
	os.Exit(3)
}

// enter confines the thread, and replaces the process by the command.
func (c *confinement) enter() error {
	os.Unsetenv(confinementEnv)
	runtime.LockOSThread()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	if len(c.Read)+len(c.Write) > 0 {
		if err := c.landlock(); err != nil {
			return fmt.Errorf("landlock: %w", err)
		}
	}
	if len(c.Filter) > 0 {
		program := unix.SockFprog{Len: uint16(len(c.Filter)), Filter: &c.Filter[0]}
		if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0,
			0); err != nil {
			return fmt.Errorf("seccomp: %w", err)
		}
	}
	return syscall.Exec(commandtest.Path(), os.Args, os.Environ())
}

// What Landlock allows of directories that are read, and written; it forbids the rest of what it knows.
const (
	landlockRead = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_READ_DIR
	landlockWrite = unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR |
		unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_DIR |
		unix.LANDLOCK_ACCESS_FS_REMOVE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REFER
	landlockFile = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE |
		unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	landlockAll = landlockRead | landlockWrite | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_MAKE_SYM
)

// landlockABI returns the version of Landlock that the kernel has, or 0 if it has none.
func landlockABI() int {
	const version = 1
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, version)
	if errno != 0 {
		return 0
	}
	return int(abi)
}

// landlock also lets the program itself be read, with the libraries that it is linked to.
func (c *confinement) landlock() error {
	attr := unix.LandlockRulesetAttr{Handled_access_fs: landlockAll,
		Handled_access_net: unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP}
	const size = 16 // what ABI 4 knows of the attributes
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return errno
	}
	allow := func(path string, access uint64) error {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if errors.Is(err, unix.ENOENT) {
			return nil
		} else if err != nil {
			return err
		}
		defer unix.Close(fd)
		var stat unix.Stat_t
		if err := unix.Fstat(fd, &stat); err != nil {
			return err
		}
		if stat.Mode&unix.S_IFMT != unix.S_IFDIR {
			access &= landlockFile
		}
		rule := unix.LandlockPathBeneathAttr{Allowed_access: access, Parent_fd: int32(fd)}
		_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, ruleset, unix.LANDLOCK_RULE_PATH_BENEATH,
			uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
		if errno != 0 {
			return fmt.Errorf("%s: %w", path, errno)
		}
		return nil
	}
	for _, path := range append(c.Read, commandtest.Path(), "/lib", "/lib64", "/usr/lib") {
		if err := allow(path, landlockRead); err != nil {
			return err
		}
	}
	for _, path := range c.Write {
		if err := allow(path, landlockWrite); err != nil {
			return err
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// confined runs the command under a confinement, with a cache and data of its own if cache is not empty.
func confined(t *testing.T, c confinement, dir, cache string, args ...string) (output string, err error) {
	t.Helper()
	encoded, jsonErr := json.Marshal(c)
	require.NoError(t, jsonErr)
	cmd := commandtest.Command(args...)
	cmd.Path = os.Args[0]
	cmd.Dir = dir
	cmd.Env = append(cmd.Env, confinementEnv+"="+string(encoded), "TOOLRUN_DATA="+filepath.Join(dir, ".data"))
	if cache != "" {
		cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+cache)
	}
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// tasks are what the command must be able to do under a confinement, in one directory.
var tasks = []struct {
	args []string
	want string // in the output
}{
	{[]string{"js", "--root", ".", "-e", `
		await fs.mkdir("a/b", {recursive: true}); await fs.writeFile("a/b/c.txt", "x".repeat(1e5));
			await fs.appendFile("a/b/c.txt", "y");
		await fs.rename("a/b/c.txt", "d.txt"); await fs.cp("d.txt", "e.txt"); await fs.rm("a", {recursive: true});
		await new Promise((done) => setTimeout(done, 20));
		return (await fs.readFile("d.txt", "utf8")).length + " " + // a call that takes long is noted in .data
			(await fs.readdir("/")).filter((name) => name != ".data")`}, "100001 d.txt,e.txt"},
	{[]string{"js", "--timeout", "500ms", "-e", `for (;;);`}, "time limit exceeded"},
	{[]string{"js", "--memory", "32", "-e", `const all = []; for (;;) all.push(new Uint8Array(1e6))`},
		"memory limit exceeded"},
	{[]string{"js", "-e", `const f = () => f() + 1; try { f() } catch (e) { return e.name }`}, "RangeError"},
	{[]string{"call", "filesystem", `{"command": "create", "path": "/t.md", "file_text": "milk"}`}, "File created"},
	{[]string{"call", "javascript", "--option", "toolCalls=true",
		`{"code": "return await tools.filesystem({command: 'view', path: '/t.md'})"}`}, "milk"},
	{[]string{"files", "put", "d.txt", "/d.txt"}, ""},
	{[]string{"files", "export", "out.tar.gz"}, ""},
	{[]string{"files", "undo"}, "d.txt"},
	{[]string{"files", "rm", "/t.md"}, ""},
	{[]string{"files", "import", "out.tar.gz"}, ""},
	{[]string{"files", "tree"}, "d.txt"},
	{[]string{"defs", "--api", "anthropic"}, "javascript"},
}

func doTasks(t *testing.T, c confinement, dir, cache string) {
	for _, task := range tasks {
		out, err := confined(t, c, dir, cache, task.args...)
		exit := (*exec.ExitError)(nil)
		if errors.As(err, &exit) && strings.HasSuffix(task.want, "exceeded") && exit.ExitCode() == 1 {
			err = nil
		}
		require.NoError(t, err, "%q: %s", task.args, out)
		require.Contains(t, out, task.want, "%q", task.args)
		require.NotContains(t, out, "warning", "%q", task.args)
	}
}

// TestSeccomp runs the command under the system-call filter that is shipped. What is not on its list is not refused
// here, but ends the process with a trace of the stack, so that nothing that is needed can be missing unnoticed.
func TestSeccomp(t *testing.T) {
	t.Parallel()
	doTasks(t, confinement{Filter: seccompFilter(t, seccompProfile)}, t.TempDir(), t.TempDir())

	for _, name := range []string{"openat", "mprotect", "memfd_create", "clone"} {
		t.Run("without "+name, func(t *testing.T) {
			out, err := confined(t, confinement{Filter: seccompFilter(t, seccompProfile, name)}, t.TempDir(), "",
				tasks[0].args...)
			require.Error(t, err)
			require.Contains(t, out+err.Error(), "bad system call")
		})
	}
}

// TestSeccompOfAServer does a call of a server that has no more calls of the system than its filter allows.
func TestSeccompOfAServer(t *testing.T) {
	encoded, err := json.Marshal(confinement{Filter: seccompFilter(t, seccompHTTPProfile)})
	require.NoError(t, err)
	cmd := commandtest.Command("mcp", "--log-format", "json", "--http", "localhost:0", "--data", t.TempDir())
	cmd.Path, cmd.Env = os.Args[0], append(cmd.Env, confinementEnv+"="+string(encoded))
	s := commandtest.StartServer(t, cmd)
	session, err := s.Connect(t.Context(), "")
	require.NoError(t, err)
	text, err := toolruntest.Call(t.Context(), session, "javascript",
		map[string]any{"code": "fs.writeFileSync('/a', 'b'); return fs.readFileSync('/a', 'utf8')"})
	require.NoError(t, err)
	require.Contains(t, text, "b")
	status, _ := s.Get(t, s.At("/metrics"), "")
	require.Equal(t, 200, status)
	require.NoError(t, session.Close())
	require.NoError(t, s.Cmd.Process.Signal(syscall.SIGTERM))
	<-s.End
	require.NoError(t, s.Cmd.Wait(), s.Logged())
}

// TestLandlock lets the command use its cache and the directory of its files, and nothing else but the program itself.
func TestLandlock(t *testing.T) {
	t.Parallel()
	if landlockABI() < 4 { // Linux 6.7
		t.Skip("the kernel has no Landlock that knows the network")
	}
	dir, cache, outside := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "secret")
	require.NoError(t, os.WriteFile(outside, []byte("secret"), 0o600))
	c := confinement{Write: []string{dir, cache}}
	fillCache(t, cache)
	doTasks(t, c, dir, cache)

	out, err := confined(t, c, dir, cache, "files", "put", outside, "/secret")
	require.Error(t, err)
	require.Contains(t, out, "permission denied")
	c.Read = []string{filepath.Dir(outside)}
	out, err = confined(t, c, dir, cache, "files", "put", outside, "/secret")
	require.NoError(t, err, out)
	out, err = confined(t, confinement{Write: []string{dir}}, dir, enginetest.CacheDir(), "js", "-e", "return 6 * 7")
	require.NoError(t, err, out)
	require.Contains(t, out, "warning: the engine was compiled anew")
}

// seccompFilter makes a program for the kernel of the profile, without some system calls.
func seccompFilter(t *testing.T, file string, without ...string) []unix.SockFilter {
	t.Helper()
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	var profile struct {
		DefaultAction string
		Syscalls      []struct {
			Names    []string
			Action   string
			ErrnoRet uint32
			Args     []struct {
				Index, Value, ValueTwo uint32
				Op                     string
			}
		}
	}
	require.NoError(t, json.Unmarshal(content, &profile))
	require.Equal(t, "SCMP_ACT_ERRNO", profile.DefaultAction)

	const number, arch, firstArgument = 0, 4, 16 // where things are in struct seccomp_data
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	jumpIfEqual := func(k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: yes, Jf: no, K: k}
	}
	give := func(action uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: action}
	}

	filter := []unix.SockFilter{load(arch), jumpIfEqual(unix.AUDIT_ARCH_X86_64, 1, 0),
		give(unix.SECCOMP_RET_KILL_PROCESS), load(number)}
	for _, rule := range profile.Syscalls {
		action := uint32(unix.SECCOMP_RET_ALLOW)
		if rule.Action != "SCMP_ACT_ALLOW" {
			require.Equal(t, "SCMP_ACT_ERRNO", rule.Action)
			action = unix.SECCOMP_RET_ERRNO | rule.ErrnoRet
		}
		for _, name := range rule.Names {
			nr, known := syscalls[name]
			require.True(t, known, "%s is not in the test's table", name)
			if slices.Contains(without, name) {
				continue
			}
			match := []unix.SockFilter{give(action)}
			for _, arg := range rule.Args {
				require.Equal(t, "SCMP_CMP_MASKED_EQ", arg.Op)
				match = slices.Concat([]unix.SockFilter{
					load(firstArgument + 8*arg.Index),
					{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: arg.Value},
					jumpIfEqual(arg.ValueTwo, 0, uint8(len(match))),
				}, match, []unix.SockFilter{load(number)})
			}
			filter = append(append(filter, jumpIfEqual(nr, 0, uint8(len(match)))), match...)
		}
	}
	return append(filter, give(unix.SECCOMP_RET_TRAP))
}

// syscalls are the numbers of the system calls in the profile.
var syscalls = map[string]uint32{
	"accept4": unix.SYS_ACCEPT4, "bind": unix.SYS_BIND, "getpeername": unix.SYS_GETPEERNAME,
	"getsockname": unix.SYS_GETSOCKNAME,
	"getsockopt":  unix.SYS_GETSOCKOPT, "listen": unix.SYS_LISTEN, "recvfrom": unix.SYS_RECVFROM,
	"recvmsg": unix.SYS_RECVMSG,
	"sendmsg": unix.SYS_SENDMSG, "sendto": unix.SYS_SENDTO, "setsockopt": unix.SYS_SETSOCKOPT,
	"shutdown": unix.SYS_SHUTDOWN, "socket": unix.SYS_SOCKET, "uname": unix.SYS_UNAME,
	"access": unix.SYS_ACCESS, "arch_prctl": unix.SYS_ARCH_PRCTL, "brk": unix.SYS_BRK,
	"clock_gettime":   unix.SYS_CLOCK_GETTIME,
	"clock_nanosleep": unix.SYS_CLOCK_NANOSLEEP, "clone": unix.SYS_CLONE, "clone3": unix.SYS_CLONE3,
	"close":           unix.SYS_CLOSE,
	"copy_file_range": unix.SYS_COPY_FILE_RANGE, "epoll_create1": unix.SYS_EPOLL_CREATE1,
	"epoll_ctl":   unix.SYS_EPOLL_CTL,
	"epoll_pwait": unix.SYS_EPOLL_PWAIT, "eventfd2": unix.SYS_EVENTFD2, "execve": unix.SYS_EXECVE,
	"exit":       unix.SYS_EXIT,
	"exit_group": unix.SYS_EXIT_GROUP, "fchmod": unix.SYS_FCHMOD, "fchmodat": unix.SYS_FCHMODAT,
	"fchmodat2": unix.SYS_FCHMODAT2, "fcntl": unix.SYS_FCNTL,
	"flock": unix.SYS_FLOCK, "fstat": unix.SYS_FSTAT, "fstatfs": unix.SYS_FSTATFS, "fsync": unix.SYS_FSYNC,
	"ftruncate": unix.SYS_FTRUNCATE,
	"futex":     unix.SYS_FUTEX, "getcwd": unix.SYS_GETCWD, "getdents64": unix.SYS_GETDENTS64,
	"getegid": unix.SYS_GETEGID,
	"geteuid": unix.SYS_GETEUID, "getgid": unix.SYS_GETGID, "getpid": unix.SYS_GETPID, "getppid": unix.SYS_GETPPID,
	"getrandom": unix.SYS_GETRANDOM, "gettid": unix.SYS_GETTID, "getuid": unix.SYS_GETUID, "ioctl": unix.SYS_IOCTL,
	"linkat": unix.SYS_LINKAT, "lseek": unix.SYS_LSEEK, "madvise": unix.SYS_MADVISE,
	"memfd_create": unix.SYS_MEMFD_CREATE,
	"mkdirat":      unix.SYS_MKDIRAT, "mmap": unix.SYS_MMAP, "mprotect": unix.SYS_MPROTECT, "munmap": unix.SYS_MUNMAP,
	"nanosleep": unix.SYS_NANOSLEEP, "newfstatat": unix.SYS_NEWFSTATAT, "openat": unix.SYS_OPENAT,
	"openat2": unix.SYS_OPENAT2,
	"prctl":   unix.SYS_PRCTL, "pread64": unix.SYS_PREAD64, "prlimit64": unix.SYS_PRLIMIT64,
	"pwrite64": unix.SYS_PWRITE64,
	"read":     unix.SYS_READ, "readlinkat": unix.SYS_READLINKAT, "renameat": unix.SYS_RENAMEAT,
	"renameat2":       unix.SYS_RENAMEAT2,
	"restart_syscall": unix.SYS_RESTART_SYSCALL, "rseq": unix.SYS_RSEQ, "rt_sigaction": unix.SYS_RT_SIGACTION,
	"rt_sigprocmask": unix.SYS_RT_SIGPROCMASK, "rt_sigreturn": unix.SYS_RT_SIGRETURN,
	"sched_getaffinity": unix.SYS_SCHED_GETAFFINITY, "sched_yield": unix.SYS_SCHED_YIELD, "sendfile": unix.SYS_SENDFILE,
	"set_robust_list": unix.SYS_SET_ROBUST_LIST, "set_tid_address": unix.SYS_SET_TID_ADDRESS,
	"sigaltstack": unix.SYS_SIGALTSTACK, "splice": unix.SYS_SPLICE, "statx": unix.SYS_STATX,
	"symlinkat": unix.SYS_SYMLINKAT,
	"tgkill":    unix.SYS_TGKILL, "unlinkat": unix.SYS_UNLINKAT, "utimensat": unix.SYS_UTIMENSAT,
	"write": unix.SYS_WRITE,
}

// fillCache copies what other tests have compiled into a cache.
func fillCache(t *testing.T, cache string) {
	for range 2 { // the second one makes the image of what the first one has compiled
		require.Equal(t, result{0, "42\n", ""}, runCommand(t, nil, "js", "-e", "return 42"))
	}
	from := filepath.Join(enginetest.CacheDir(), "toolrun", "engine")
	to := filepath.Join(cache, "toolrun", "engine")
	for _, kind := range []string{"engine-*", "image-*"} {
		names, err := filepath.Glob(filepath.Join(from, kind))
		require.NoError(t, err)
		newest, latest := "", time.Time{} // the others are of other versions
		for _, name := range names {
			if info, err := os.Stat(name); err == nil && info.ModTime().After(latest) {
				newest, latest = name, info.ModTime()
			}
		}
		dir := filepath.Join(to, filepath.Base(newest))
		require.NoError(t, os.MkdirAll(dir, 0o700))
		require.NoError(t, os.CopyFS(dir, os.DirFS(newest)))
	}
}
