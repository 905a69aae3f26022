package local_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/wrapfs"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/archive"
	"github.com/toolrun/toolrun/vfs/local"
)

// protectedFiles are what a directory has whose protection is attacked.
var protectedFiles = map[string]string{
	".git/config":        "[core]\n",
	".git/hooks/sample":  "#!/bin/sh\n",
	".envrc":             "export A=1\n",
	"sub/.vscode/x.json": "{}",
	"sub/plain":          "plain",
	"deep/er/.npmrc":     "a=b\n",
	"plain":              "plain",
	"tree/plain":         "plain",
	"mirror.git/config":  "[core]\n",
	"repository/HEAD":    "ref: refs/heads/main\n",
}

func protectedDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range protectedFiles {
		require.NoError(t, os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	return dir
}

func openDir(t *testing.T, dir string, options *vfs.Options) vfs.Project {
	t.Helper()
	p, err := local.OpenDir(dir, options)
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// protectionAttacks try to change what is protected. Without protection, all of them succeed.
func protectionAttacks() map[string]func(p vfs.Project) error {
	attacks := map[string]func(p vfs.Project) error{}
	for _, name := range []string{
		"/.git/config", ".git/hooks/pre-commit", "/.git/new", "/sub/../.git/config", "//.git//config",
		"./.git/./config",
		"/.envrc", "/new/../.envrc", "/sub/.envrc", "/sub/.ENVRC", "/.Yarnrc.yml", "/tree/.mcp.json", "/.bashrc",
		"/.hg", "/.gitmodules",
		"/sub/.g\u200cit", "/sub/.envr\u200dc", "/.mi\u017fe.toml", "/.to\u006Fl-versions", "/\u202e.npmrc",
		"/.\u212aube", "/x.code-workspace",
		"/sub/HEAD", "/sub/head", "/new.git", "/mirror.git/config", "/repository/HEAD", "/.vscode",
		"/sub/.vscode/x.json",
		"/.helix", "/mise", "/lefthook-local.yml",
	} {
		attacks["write "+name] = func(p vfs.Project) error { return vfs.WriteFile(ctxOf(), p, name, []byte("x")) }
		attacks["create "+name] = func(p vfs.Project) error {
			f, err := p.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o644)
			if err != nil {
				return err
			}
			return f.Close()
		}
	}
	for _, name := range []string{
		"/pnpm-workspace.yaml", "/.ghci", "/.ocamlinit", "/.gitpod.yml", "/.trae", "/.bazelrc", "/ci.bazelrc",
		"/.rspec",
		"/.venv/bin/activate", "/venv/bin/Activate.ps1", "/env/Scripts/activate.bat", "/.venv/bin/activate_this.py",
		"/venv/bin/activate.fish", "/.venv/lib/python3.13/site-packages/x.pth", "/pyvenv.cfg", "/sub/conftest.py",
		"/sitecustomize.py", "/usercustomize.pyc", "/tox.ini", "/noxfile.py", "/eslint.config.mjs", "/.eslintrc",
		"/packages/a/.eslintrc.cjs", "/prettier.config.ts", "/.prettierrc.json5", "/Vite.config.MTS",
		"/jest.config.json",
		"/babel.config.js", "/.babelrc", "/tailwind.config.cts", "/postcss.config.mjs", "/.postcssrc.yml",
		"/webpack.config.prod.js", "/.oxlintrc.json", "/xo.config.ts", "/.markdownlint-cli2.cjs", "/cspell.config.mjs",
		"/.pre-commit-config.yaml", "/lefthook.jsonc", "/.iex.exs", "/.RData", "/.octaverc",
		"/tools/bazel", "/.drone.star", "/Jenkinsfile.release", "/gradle/wrapper/gradle-wrapper.jar", "/.pylintrc",
	} {
		attacks["write "+name] = func(p vfs.Project) error { return vfs.WriteFile(ctxOf(), p, name, []byte("x")) }
	}
	for _, name := range []string{"/.git/x", "/.idea", "/.HUSKY", "/sub/.vscode/y", "/a/b/.cursor/c", "/x.GIT",
		"/a/.trae"} {
		attacks["mkdir "+name] = func(p vfs.Project) error { return p.MkdirAll(name, 0o755) }
	}
	for _, name := range []string{"/.git", "/.git/config", "/sub", "/deep", "/.envrc", "/mirror.git", "/repository",
		"/repository/HEAD"} {
		attacks["remove all "+name] = func(p vfs.Project) error { return p.RemoveAll(name) }
		attacks["rename "+name] = func(p vfs.Project) error { return p.Rename(name, "/elsewhere") }
		attacks["move "+name] = func(p vfs.Project) error { return vfs.Move(ctxOf(), p, name, "/elsewhere") }
	}
	for _, name := range []string{"/.envrc", "/.git/hooks/sample"} {
		attacks["remove "+name] = func(p vfs.Project) error { return p.Remove(name) }
		attacks["chmod "+name] = func(p vfs.Project) error { return p.Chmod(name, 0o777) }
		attacks["chtimes "+name] = func(p vfs.Project) error {
			return p.Chtimes(name, time.Unix(1, 0), time.Unix(1, 0))
		}
		attacks["append "+name] = func(p vfs.Project) error { return vfs.Append(ctxOf(), p, name, []byte("x")) }
		attacks["in place "+name] = func(p vfs.Project) error {
			f, err := p.OpenFile(name, os.O_RDWR|os.O_SYNC, 0)
			if err == nil {
				_, err = f.WriteString("x")
				err = errors.Join(err, f.Close())
			}
			return err
		}
	}
	for from, to := range map[string]string{
		"/plain": "/.git/config", "/tree": "/.hg", "/tree/plain": "/.npmrc", "/sub/plain": "/tree/HEAD",
	} {
		attacks["rename to "+to] = func(p vfs.Project) error { return p.Rename(from, to) }
		attacks["copy to "+to] = func(p vfs.Project) error {
			if err := p.RemoveAll(to); err != nil { // nothing is copied over something
				return err
			}
			return vfs.Copy(ctxOf(), p, from, to)
		}
		attacks["through views to "+to] = func(p vfs.Project) error {
			return vfs.Sub(wrapfs.Around(p, func(files afero.Fs) afero.Fs { return files }), "/").Rename(from, to)
		}
	}
	attacks["in a subdirectory"] = func(p vfs.Project) error {
		return afero.WriteFile(vfs.Sub(p, "/.git"), "/config", []byte("x"), 0o644)
	}
	attacks["after the rename of a directory"] = func(p vfs.Project) error {
		f, err := p.OpenFile("/tree/config", os.O_RDWR|os.O_CREATE, 0o644)
		if err == nil {
			err = p.Rename("/tree", "/.jj")
			_, writeErr := f.WriteString("x")
			err = errors.Join(err, writeErr, f.Close())
		}
		return err
	}
	attacks["archive"] = func(p vfs.Project) error {
		var packed bytes.Buffer
		w := tar.NewWriter(&packed)
		for _, name := range []string{"first", "dir/.git/config"} {
			_ = w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: 1})
			_, _ = w.Write([]byte("x"))
		}
		_ = w.Close()
		_, err := archive.Import(ctxOf(), p, &packed, archive.Tar)
		return err
	}
	return attacks
}

func TestProtection(t *testing.T) {
	p := openDir(t, protectedDir(t), &vfs.Options{NoSync: true})
	before := snapshot(t, p)
	require.Subset(t, before, map[string]string{"/.git/config": "[core]\n", "/plain": "plain"})
	for name, attack := range protectionAttacks() {
		t.Run(strings.ReplaceAll(name, "/", "|"), func(t *testing.T) {
			err := attack(p)
			require.ErrorAs(t, err, new(*vfs.ProtectedError))
			require.ErrorIs(t, err, syscall.EROFS)
			_ = p.Remove("/tree/config") // which the attack may make
			require.Equal(t, before, snapshot(t, p))

			open := openProject(t, local.NewMemoryStore(nil), "p") // where nothing is protected
			for name, text := range protectedFiles {
				write(t, open, "/"+name, text)
			}
			require.NoError(t, attack(open), "it is the protection that refuses")
		})
	}
}

// TestOtherNamesOfProtectedFiles: a disk of Windows takes some names for others, also if another system uses it.
func TestOtherNamesOfProtectedFiles(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("most of these cannot be the name of a file")
	}
	p := openDir(t, protectedDir(t), &vfs.Options{NoSync: true})
	open := openDir(t, protectedDir(t), &vfs.Options{NoSync: true, Unprotect: []string{"*"}})
	for _, name := range []string{
		"/.git./config", "/.git /config", "/.git. ./config", "/git~1/config", "/GIT~2/hooks/x",
		"/.git::$INDEX_ALLOCATION/config",
		"/.envrc::$DATA", "/.envrc:stream", "/.ENVRC.", "/sub/vscode~1/tasks.json", "/envrc~1", "/gitmod~1",
		"/gi7eba~1",
		"/MISE~1.TOM", "/eslint~3.mjs", "/YARNRC~1.YML", "/mirror~1.git", "/microf~1.ps1", "/.\u200cgit. ",
	} {
		require.ErrorAs(t, vfs.WriteFile(t.Context(), p, name, []byte("x")), new(*vfs.ProtectedError), name)
		require.ErrorAs(t, p.Rename("/tree", name), new(*vfs.ProtectedError), name)
		require.ErrorAs(t, p.MkdirAll(name+"/x", 0o755), new(*vfs.ProtectedError), name)
		require.NoError(t, vfs.WriteFile(t.Context(), open, name, []byte("x")), name)
	}
	for _, name := range []string{
		"/.toolrun.", "/.toolrun /x", "/.TOOLRUN. .", "/.toolrun::$DATA", "/.toolrun:x/y", "/toolru~1", "/a/TOOLRU~2/x",
		"/to12ab~1",
	} {
		require.ErrorAs(t, vfs.WriteFile(t.Context(), open, name, []byte("x")), new(*vfs.InvalidPathError), name)
	}
}

// What only looks like something protected can be changed, and what is protected can be read.
func TestProtectionIsNarrow(t *testing.T) {
	p := openDir(t, protectedDir(t), &vfs.Options{NoSync: true})
	for _, name := range []string{
		"/.gitignore", "/git", "/github/x", "/.env", "/head/x", "/HEADER", "/src/git/config", "/npmrc", "/.gitkeep",
		"/a.github", "/Makefile",
		"/app/activate/page.tsx", "/activate.ts", "/src/activateUser.js", "/bazel/x", "/vite.ts",
		"/eslint.config/rules", "/config.ts",
		"/model.pth", "/package.json", "/pyproject.toml", "/build.rs", "/tsconfig.json", "/.eslintignore",
		"/test_conftest.py",
		"/notes~1.txt", "/git~x", "/~1", "/a.b~1", "/git:hub", "/x. ", "/.github-pages", "/docker-compose.override.yml",
		"/.jshintrc", "/.editorconfig", "/.dockerignore", "/CLAUDE.md",
	} {
		write(t, p, name, "x")
	}
	require.Equal(t, "[core]\n", read(t, p, "/.git/config"))
	require.NoError(t, vfs.Copy(t.Context(), p, "/.envrc", "/copy"))
	require.NoError(t, p.MkdirAll("/.git", 0o755), "it is there already")
	require.NoError(t, p.Rename("/tree", "/other"))
	require.NoError(t, p.RemoveAll("/other"))
	_, err := p.Undo(t.Context(), "")
	require.NoError(t, err)
}

func TestProtectionOptions(t *testing.T) {
	options := vfs.Options{NoSync: true, Protect: []string{"Secret*", ".github"}, Unprotect: []string{".yarnrc*",
		".ENVRC", ".github"}}
	p := openDir(t, protectedDir(t), &options)
	for name, free := range map[string]bool{
		"/.yarnrc.yml": true, "/.envrc": true, "/.github/x": false, "/a/secrets/x": false, "/SECRET": false,
		"/.npmrc": false, "/secre": true,
	} {
		err := vfs.WriteFile(t.Context(), p, name, []byte("x"))
		if free {
			require.NoError(t, err, name)
		} else {
			require.ErrorAs(t, err, new(*vfs.ProtectedError), name)
		}
	}
	for _, name := range []string{"", "a/b", `a\b`, "[a"} {
		for _, options := range []vfs.Options{{Protect: []string{name}}, {Unprotect: []string{name}}} {
			_, err := local.OpenDir(t.TempDir(), &options)
			require.ErrorIs(t, err, fs.ErrInvalid, name)
		}
	}
	p = openDir(t, t.TempDir(), &vfs.Options{NoSync: true, Unprotect: []string{".git", "karma.conf.*"},
		Protect: []string{"Activate", ".secret"}})
	for name, free := range map[string]bool{
		"/.git/x": true, "/.git./x": true, "/git~1/x": true, "/karma.conf.js": true, "/karmac~1.js": true,
		"/eslint~1.js": false, "/gitmod~1": false,
		"/.secret.": false, "/secret~1": false, "/activate/x": false, "/bazel/x": true, "/bazel": false,
	} {
		err := vfs.WriteFile(t.Context(), p, name, []byte("x"))
		require.Equal(t, free, err == nil, "%s: %v", name, err)
		_ = p.RemoveAll("/bazel")
	}
	stored := openProject(t, local.NewMemoryStore(&vfs.Options{Protect: []string{"secret"}}), "p")
	write(t, stored, "/.git/config", "nobody executes it there")
	require.ErrorAs(t, vfs.WriteFile(t.Context(), stored, "/secret", nil), new(*vfs.ProtectedError))
}

// A history that says that something protected has been there is not believed.
func TestProtectionFromHistory(t *testing.T) {
	dir := t.TempDir()
	open := openDir(t, dir, &vfs.Options{NoSync: true, Unprotect: []string{"*"}})
	call := open.WithCall("evil")
	write(t, open, "/.git/config", "evil")
	write(t, open, "/a/.envrc", "evil")
	require.NoError(t, call.RemoveAll("/a"))
	require.NoError(t, call.RemoveAll("/.git"))
	changes, err := open.Changes(t.Context(), "/")
	require.NoError(t, err)
	require.NoError(t, open.Close())
	p := openDir(t, dir, nil)
	for _, undo := range []string{"", "evil"} {
		_, err = p.Undo(t.Context(), undo)
		require.ErrorAs(t, err, new(*vfs.ProtectedError))
	}
	for _, change := range changes {
		if change.Kept {
			require.ErrorAs(t, p.Restore(t.Context(), change.ID, ""), new(*vfs.ProtectedError))
		}
	}
	require.Equal(t, map[string]string{"/": "directory"}, snapshot(t, p))
}

// What links with protected names lead to is protected, too: programs follow them.
func TestTargetsOfProtectedLinksAreProtected(t *testing.T) {
	dir, outside := t.TempDir(), t.TempDir()
	for _, made := range []string{".git/hooks", "tools/vscode", "scripts", "real/sub", "other/husky"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, made), 0o755))
	}
	for _, file := range []string{"tools/vscode/tasks.json", "scripts/pc", "scripts/free", "other/husky/x",
		"real/sub/npm"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, file), []byte("x"), 0o644))
	}
	for link, to := range map[string]string{
		".vscode": "tools/vscode", ".git/hooks/pre-commit": "../../scripts/pc", ".idea": "gone/idea", "way": "real",
		".npmrc": "way/sub/npm", ".husky": "between", "between": "other", ".claude": outside, ".zed": filepath.Join(dir,
			"zed"),
		".fleet": ".fleet", "ordinary": "scripts/free", ".cursorrules": "AGENTS.md",
	} {
		require.NoError(t, os.Symlink(to, filepath.Join(dir, filepath.FromSlash(link))))
	}
	p := openDir(t, dir, &vfs.Options{NoSync: true})
	require.NoError(t, p.MkdirAll("/evil/vscode", 0o755))
	write(t, p, "/evil/vscode/tasks.json", "evil")
	for name, attack := range map[string]func() error{
		"a file":             func() error { return vfs.WriteFile(ctxOf(), p, "/tools/vscode/tasks.json", nil) },
		"a new file":         func() error { return vfs.WriteFile(ctxOf(), p, "/tools/VSCode/new", nil) },
		"a hook":             func() error { return vfs.WriteFile(ctxOf(), p, "/scripts/pc", nil) },
		"a hook's mode":      func() error { return p.Chmod("/scripts/pc", 0o755) },
		"not there":          func() error { return vfs.WriteFile(ctxOf(), p, "/gone/idea/x", nil) },
		"not there, renamed": func() error { return p.Rename("/evil", "/gone") },
		"absolute":           func() error { return vfs.WriteFile(ctxOf(), p, "/zed", nil) },
		"over a link":        func() error { return vfs.WriteFile(ctxOf(), p, "/real/sub/npm", nil) },
		"a link on the way":  func() error { return p.RemoveAll("/between") },
		"over two links":     func() error { return vfs.WriteFile(ctxOf(), p, "/other/husky/x", nil) },
		"the directory":      func() error { return p.RemoveAll("/tools") },
		"renamed":            func() error { return p.Rename("/tools", "/t") },
		"put there":          func() error { return p.Rename("/evil/vscode", "/tools/vscode") },
	} {
		require.ErrorAs(t, attack(), new(*vfs.ProtectedError), name)
	}
	for _, free := range []string{"/scripts/free", "/scripts/pc2", "/tools/other", "/tools/vscode2/x", "/real/x",
		"/AGENTS.md"} {
		write(t, p, free, "x")
	}
	require.EqualError(t, p.Remove("/tools/vscode/tasks.json"),
		"remove /tools/vscode/tasks.json: /tools/vscode is protected, because other programs may execute it")
	open := openDir(t, dir, &vfs.Options{NoSync: true, Unprotect: []string{".vscode"}})
	write(t, open, "/tools/vscode/tasks.json", "x")

	// Somebody makes links while the project is open, and it is of no use to set the times of directories back.
	root, err := p.Stat("/")
	require.NoError(t, err)
	hooks := filepath.Join(dir, ".git", "hooks")
	for i, link := range []string{filepath.Join(dir, ".devcontainer"), filepath.Join(hooks, "post-commit")} {
		name := fmt.Sprintf("/scripts/late%d", i)
		write(t, p, name, "x")
		require.NoError(t, os.Symlink(filepath.Join(dir, "scripts", fmt.Sprintf("late%d", i)), link))
		if i == 0 {
			require.NoError(t, p.Chtimes("/", root.ModTime(), root.ModTime()))
		}
		require.ErrorAs(t, vfs.WriteFile(t.Context(), p, name, nil), new(*vfs.ProtectedError), name)
		require.ErrorAs(t, vfs.WriteFile(t.Context(), p.WithCall("call"), name, nil), new(*vfs.ProtectedError), name)
		require.NoError(t, os.Remove(link))
		write(t, p.WithCall("another"), name, "x")
	}
	layer, err := local.OpenLayer(dir, t.TempDir(), &vfs.Options{NoSync: true})
	require.NoError(t, err)
	defer layer.Close()
	require.ErrorAs(t, vfs.WriteFile(t.Context(), layer, "/scripts/pc", nil), new(*vfs.ProtectedError))
}

func TestProtectedErrorText(t *testing.T) {
	p := openDir(t, protectedDir(t), nil)
	require.EqualError(t, p.Rename("/sub", "/x"),
		"rename /sub: /sub/.vscode is protected, because other programs may execute it")
	require.EqualError(t, p.Remove("/.git/config"),
		"remove /.git/config: /.git is protected, because other programs may execute it")
	require.Equal(t, "/.git", fmt.Sprint((&vfs.ProtectedError{Path: "/.git"}).Protected()))
}

// A directory that is read-only is not written to at all.
func TestReadOnlyOption(t *testing.T) {
	dir := protectedDir(t)
	before := filesOfTheHost(t, dir)
	p := openDir(t, dir, &vfs.Options{ReadOnly: true})
	require.True(t, vfs.IsReadOnly(p, "/plain"))
	require.Equal(t, "plain", read(t, p, "/plain"))
	require.NoError(t, p.Exclusively(t.Context(), func(files afero.Fs) error {
		require.ErrorIs(t, vfs.WriteFile(t.Context(), files, "/plain", nil), syscall.EROFS)
		_, err := files.Stat("/plain")
		return err
	}))
	attacks := protectionAttacks()
	attacks["settings"] = func(p vfs.Project) error {
		return p.EditSettings(ctxOf(), func([]byte) ([]byte, error) { return []byte("x"), nil })
	}
	attacks["undo"] = func(p vfs.Project) error { _, err := p.Undo(ctxOf(), ""); return err }
	attacks["mkdir"] = func(p vfs.Project) error { return p.Mkdir("/new", 0o755) }
	attacks["temporary"] = func(p vfs.Project) error { _, err := p.Create("/new"); return err }
	for name, attack := range attacks {
		require.ErrorIs(t, attack(p), syscall.EROFS, name)
	}
	usage, err := p.Usage(t.Context())
	require.NoError(t, err)
	require.NotZero(t, usage.Files)
	_, err = p.Changes(t.Context(), "/")
	require.NoError(t, err)
	require.Equal(t, before, filesOfTheHost(t, dir))
}
