//go:build systemtest

package files_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/storetest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// TestGitExecutesNothing lets code change a repository, and then uses git as a person would. Each attack makes git
// execute a command, unless its files are protected.
func TestGitExecutesNothing(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	write := func(name, text string) func(files afero.Fs) error {
		return func(files afero.Fs) error { return vfs.Append(context.Background(), files, name, []byte(text)) }
	}
	for name, attack := range map[string]struct {
		do func(files afero.Fs) error
		in string // where git is used
	}{
		"fsmonitor":  {write("/.git/config", "[core]\n\tfsmonitor = \"touch EXECUTED #\"\n"), ""},
		"other case": {write("/.GIT/../.git/config", "[core]\n\tfsmonitor = \"touch EXECUTED #\"\n"), ""},
		"another repository": {func(files afero.Fs) error {
			return errors.Join(
				write("/sub/.git", "gitdir: ../evil")(files), files.MkdirAll("/evil/objects", 0o755),
				files.MkdirAll("/evil/refs", 0o755),
				write("/evil/head2", "ref: refs/heads/main\n")(files), files.Rename("/evil/head2", "/evil/HEAD"),
				write("/evil/config", "[core]\n\tworktree = ../sub\n\tfsmonitor = \"touch EXECUTED #\"\n")(files))
		}, "sub"},
		"a repository without a working tree": {func(files afero.Fs) error {
			return errors.Join(
				files.MkdirAll("/sub/objects", 0o755), files.MkdirAll("/sub/refs", 0o755),
				write("/sub/config", "[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = "+
					".\n\tfsmonitor = \"touch EXECUTED #\"\n")(files),
				write("/sub/HEAD", "ref: refs/heads/main\n")(files))
		}, "sub"},
		"renamed": {func(files afero.Fs) error {
			return errors.Join(files.Rename("/.git", "/old"),
				write("/old/config", "[core]\n\tfsmonitor = \"touch EXECUTED #\"\n")(files), files.Rename("/old",
					"/.git"))
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			for _, protected := range []bool{false, true} {
				dir := t.TempDir()
				git := func(in string, arguments ...string) {
					cmd := exec.Command("git", arguments...)
					cmd.Dir = filepath.Join(dir, in)
					cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull,
						"GIT_CEILING_DIRECTORIES="+filepath.Dir(dir))
					out, err := cmd.CombinedOutput()
					if protected {
						require.NoError(t, err, "%s", out)
					}
				}
				git("", "init", "-q")
				require.NoError(t, os.Mkdir(filepath.Join(dir, "sub"), 0o755))
				options := vfs.Options{NoSync: true}
				if !protected {
					options.Unprotect = []string{"*"}
				}
				err := attack.do(open(t, dir, &options))
				git(attack.in, "status")
				git(attack.in, "add", "-A", "--dry-run", ".")
				var executed []string
				require.NoError(t, filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
					if filepath.Base(name) == "EXECUTED" {
						executed = append(executed, name)
					}
					return err
				}))
				if protected {
					require.ErrorAs(t, err, new(*vfs.ProtectedError))
					require.Empty(t, executed)
				} else {
					require.NoError(t, err)
					require.NotEmpty(t, executed, "the attack works without the protection")
				}
			}
		})
	}
}

// A repository is protected whatever its directory is called, and so is a directory that code could make one.
func TestRepositoriesOfAnyNameAreProtected(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	const command = "[core]\n\tfsmonitor = \"touch EXECUTED #\"\n"
	appended := func(name, text string) func(files afero.Fs) error {
		return func(files afero.Fs) error { return vfs.Append(context.Background(), files, name, []byte(text)) }
	}
	dir := t.TempDir()
	for _, script := range []string{
		"git init -q seed && git -C seed -c user.name=a -c user.email=a@b commit -q --allow-empty -m x",
		"git clone -q --bare seed r/.bare && echo 'gitdir: ./.bare' >r/.git && git -C r worktree add -q main",
		"mkdir r/half && echo 'ref: refs/heads/main' >r/half/HEAD && echo x >r/plain",
	} {
		cmd := exec.Command("sh", "-ec", script)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_CONFIG_SYSTEM="+os.DevNull)
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
	}
	for name, attack := range map[string]func(files afero.Fs) error{
		"config":              appended("/.bare/config", command),
		"config of worktrees": appended("/.bare/config", "[extensions]\n\tworktreeConfig = true\n"),
		"in the repository":   appended("/.bare/worktrees/main/config.worktree", command),
		"a hook":              appended("/.bare/hooks/post-checkout", "#!/bin/sh\ntouch EXECUTED\n"),
		"removed":             func(files afero.Fs) error { return files.RemoveAll("/.bare/config") },
		"permissions":         func(files afero.Fs) error { return files.Chmod("/.bare/config", 0o600) },
		"renamed":             func(files afero.Fs) error { return files.Rename("/.bare", "/b") },
		"renamed into": func(files afero.Fs) error {
			return files.Rename("/plain", "/.bare/hooks/post-checkout")
		},
		"linked tree":         appended("/main/.git", ""),
		"nearly one":          appended("/half/config", command),
		"nearly one, objects": func(files afero.Fs) error { return files.MkdirAll("/half/Objects", 0o755) },
		"nearly one, renamed": func(files afero.Fs) error { return files.Rename("/plain", "/half/commondir") },
	} {
		t.Run(name, func(t *testing.T) {
			before := storetest.FilesOfTheHost(t, filepath.Join(dir, "r", ".bare"))
			p := open(t, filepath.Join(dir, "r"), &vfs.Options{NoSync: true})
			require.ErrorAs(t, attack(p), new(*vfs.ProtectedError))
			require.Equal(t, before, storetest.FilesOfTheHost(t, filepath.Join(dir, "r", ".bare")))
		})
	}
	p := open(t, filepath.Join(dir, "r"), &vfs.Options{NoSync: true})
	storetest.Write(t, p, "/half/other", "it is not a repository")
	storetest.Write(t, p, "/main/file", "x")
	bare := open(t, filepath.Join(dir, "r", ".bare"), &vfs.Options{NoSync: true})
	require.ErrorAs(t, appended("/config", command)(bare), new(*vfs.ProtectedError), "the directory itself")
}

// open opens a directory until the end of the test.
func open(t *testing.T, dir string, options *vfs.Options) vfs.Project {
	t.Helper()
	p, err := local.OpenDir(dir, options)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	return p
}
