package pypi

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/pypitest"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// bomb is a wheel with a file of so many MiB.
func bomb(t *testing.T, size int) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create("bomb.py")
	require.NoError(t, err)
	part := make([]byte, 1<<20)
	for range size {
		_, err := w.Write(part)
		require.NoError(t, err)
	}
	require.NoError(t, z.Close())
	return b.Bytes()
}

const pure = pypitest.Pure

func index(i *pypitest.Index) *Index { return &Index{URL: pypitest.URL, Transport: i} }

var python = &Python{Version: "3.11.2", Packages: []string{"numpy 2.3.5", "PIL 12.0.0"},
	Instead: "Python itself has numpy"}

func newFolder() *Folder {
	return &Folder{Files: afero.NewMemMapFs(), Packages: "/lib/python", Lock: "/python.lock"}
}

// tree returns the files of a folder, with their content.
func tree(t *testing.T, f *Folder) map[string]string {
	files := map[string]string{}
	require.NoError(t, afero.Walk(f.Files, "/", func(name string, info fs.FileInfo, err error) error {
		if err != nil || info.IsDir() {
			return err
		}
		data, err := afero.ReadFile(f.Files, name)
		files[name] = string(data)
		return err
	}))
	return files
}

func names(packages []Package) (all []string) {
	for _, p := range packages {
		all = append(all, p.Name+" "+p.Version)
	}
	return all
}

// TestAdd adds packages with what they need, and removes them again.
func TestAdd(t *testing.T) {
	i, f := pypitest.New(), newFolder()
	i.Add("requests", "2.0", pure, map[string]string{"requests/__init__.py": "x = 2"}, "urllib3<3,>=1", "Chardet",
		"numpy>=1.22", "win32; sys_platform == 'win32'", "socks; extra == 'socks'",
		`old-python; python_version < "3.8"`)
	i.Add("requests", "1.0", pure, map[string]string{"requests/__init__.py": "x = 1"})
	i.Add("requests", "3.0rc1", pure, nil)
	i.Add("requests", "4.0", pure, nil)["yanked"] = "broken"
	i.Add("requests", "5.0", pure, nil)["requires-python"] = ">=3.12"
	i.Add("requests", "6.0", "cp311-cp311-manylinux1_x86_64", nil)
	i.Add("urllib3", "2.5", "py2.py3-none-any", map[string]string{"urllib3.py": "",
		"urllib3-2.5.data/scripts/run": "#!x", "urllib3-2.5.data/purelib/more/x.py": "more", "start.pth": "import os"})
	i.Add("urllib3", "3.0", pure, nil)
	i.Add("chardet", "7", pure, map[string]string{"chardet.py": ""})
	i.Add("socks", "1", pure, map[string]string{"socks.py": ""})
	require.NoError(t, afero.WriteFile(f.Files, "/lib/python/own.py", []byte("mine"), 0o600))
	before := tree(t, f)

	packages, err := f.Add(t.Context(), index(i), python, []string{"Requests"})
	require.NoError(t, err)
	require.Equal(t, []string{"chardet 7", "requests 2.0", "urllib3 2.5"}, names(packages))
	files := tree(t, f)
	require.Equal(t, "x = 2", files["/lib/python/requests/__init__.py"])
	require.Equal(t, "more", files["/lib/python/more/x.py"])
	require.Contains(t, files["/lib/python/requests-2.0.dist-info/METADATA"], "Name: requests")
	require.NotContains(t, slices.Collect(maps.Keys(files)), "/lib/python/start.pth")
	for name := range files {
		require.NotContains(t, name, ".data")
	}
	require.Contains(t, files["/python.lock"], packages[1].SHA256)
	require.Len(t, packages[1].SHA256, 64)
	require.Equal(t, []string{"chardet", "urllib3"}, packages[1].Needs)

	// A folder that has the lock alone gets the same, whatever is newer.
	i.Add("chardet", "8", pure, map[string]string{"chardet.py": "new"})
	other := newFolder()
	require.NoError(t, afero.WriteFile(other.Files, "/python.lock", []byte(files["/python.lock"]), 0o600))
	require.NoError(t, afero.WriteFile(other.Files, "/lib/python/own.py", []byte("mine"), 0o600))
	again, err := other.Add(t.Context(), index(i), python, nil)
	require.NoError(t, err)
	require.Equal(t, packages, again)
	require.Equal(t, files, tree(t, other))

	// Another package leaves those that are there as they are; an extra adds what that needs.
	packages, err = f.Add(t.Context(), index(i), python, []string{"requests[socks]==1.*,!=1.1"})
	require.NoError(t, err)
	require.Equal(t, []string{"requests 1.0"}, names(packages), "that needs nothing")
	packages, err = f.Add(t.Context(), index(i), python, []string{"requests[socks]>1"})
	require.NoError(t, err)
	require.Equal(t, []string{"chardet 8", "requests 2.0", "socks 1", "urllib3 2.5"}, names(packages))
	requires, listed, err := f.List()
	require.NoError(t, err)
	require.Equal(t, []string{"requests[socks]>1"}, requires)
	require.Equal(t, packages, listed)

	_, err = f.Remove([]string{"socks"})
	require.ErrorContains(t, err, "socks is needed by another package")
	_, err = f.Remove([]string{"nothing"})
	require.ErrorContains(t, err, "there is no package nothing")
	removed, err := f.Remove([]string{"requests"})
	require.NoError(t, err)
	require.Len(t, removed, 4)
	require.Equal(t, before, tree(t, f))
	gone, err := afero.DirExists(f.Files, "/lib/python/requests")
	require.NoError(t, err)
	require.False(t, gone)
}

// TestOptionalNativeCode adds a package that goes without its native code, and one with a file that is protected.
func TestOptionalNativeCode(t *testing.T) {
	i := pypitest.New()
	code := map[string]string{"markupsafe/__init__.py": "try: import speedups", "markupsafe/_speedups.so": "\x7fELF",
		"markupsafe/conftest.py": "run()"}
	i.Add("markupsafe", "1.0", pure, nil)
	i.Add("markupsafe", "2.0", "cp312-cp312-manylinux2014_x86_64", code)
	i.Add("markupsafe", "2.0", "cp311-cp311-win_amd64", code)
	i.Add("markupsafe", "2.0", "cp311-cp311-manylinux2014_x86_64", code)
	project, err := local.NewMemoryStore(&vfs.Options{Protect: []string{"conftest.py"}}).Open(t.Context(), "p")
	require.NoError(t, err)
	defer project.Close()
	f := &Folder{Files: project, Packages: "/lib/python", Lock: "/python.lock"}
	packages, err := f.Add(t.Context(), index(i), python, []string{"MarkupSafe"})
	require.NoError(t, err)
	require.Equal(t, "markupsafe-2.0-cp311-cp311-manylinux2014_x86_64.whl", packages[0].File)
	files := tree(t, f)
	require.Equal(t, []string{"/lib/python/markupsafe-2.0.dist-info/METADATA",
		"/lib/python/markupsafe-2.0.dist-info/RECORD", "/lib/python/markupsafe-2.0.dist-info/WHEEL",
		"/lib/python/markupsafe/__init__.py", "/python.lock"}, slices.Sorted(maps.Keys(files)))
	_, err = f.Remove([]string{"markupsafe"})
	require.NoError(t, err)
	require.Empty(t, tree(t, f))

	i.Add("markupsafe", "2.0", pure, map[string]string{"markupsafe/__init__.py": "pure"})
	packages, err = f.Add(t.Context(), index(i), python, []string{"MarkupSafe"})
	require.NoError(t, err)
	require.Equal(t, "markupsafe-2.0-py3-none-any.whl", packages[0].File, "without native code is better")
}

// TestVersionsThatFitTogether goes back to older versions where newer ones do not fit.
func TestVersionsThatFitTogether(t *testing.T) {
	i, f := pypitest.New(), newFolder()
	i.Add("a", "1", pure, map[string]string{"a.py": ""}, "c")
	i.Add("b", "1", pure, map[string]string{"b.py": ""}, "c~=1.2")
	i.Add("c", "1.1", pure, nil)
	i.Add("c", "1.3", pure, map[string]string{"c.py": ""})
	i.Add("c", "2.0", pure, nil)
	i.Add("d", "1", pure, nil, "c>=2")
	packages, err := f.Add(t.Context(), index(i), python, []string{"a", "b"})
	require.NoError(t, err)
	require.Equal(t, []string{"a 1", "b 1", "c 1.3"}, names(packages))
	_, err = f.Add(t.Context(), index(i), python, []string{"d"})
	require.ErrorContains(t, err, "c cannot be had")
	require.ErrorContains(t, err, "b 1 wants c~=1.2")
	require.ErrorContains(t, err, "d 1 wants c>=2")
}

// TestWhatCannotBeHad says why, and changes nothing.
func TestWhatCannotBeHad(t *testing.T) {
	i := pypitest.New()
	i.Add("scipy", "1", "cp311-cp311-manylinux1_x86_64", nil)
	i.AddFile("source", "source-1.tar.gz", nil)
	i.Add("new", "1", "py314-none-any", nil)
	i.Add("needs", "1", pure, nil, "numpy<2")
	i.Add("address", "1", pure, nil, "x @ https://evil.example/x.whl")
	i.Add("strange", "1", pure, nil, "x; strange == '1'")
	i.Add("so", "1", pure, map[string]string{"so/a.so": ""})
	i.Add("liar", "1", pure, map[string]string{"liar-1.dist-info/METADATA": "Name: other\nVersion: 1\n"})
	i.AddFile("none", "none-1-"+pure+".whl", pypitest.Pack(map[string]string{"none.py": ""}))
	i.AddFile("text", "text-1-"+pure+".whl", []byte("no zip"))
	i.Add("forged", "1", pure, nil)["hashes"] = map[string]string{"sha256": strings.Repeat("0", 64)}
	i.Add("unhashed", "1", pure, nil)["hashes"] = map[string]string{}
	i.Add("plain", "1", pure, nil)["url"] = "http://files.example/plain.whl"
	i.Add("inside", "1", pure, nil)["url"] = "file:///etc/passwd"
	i.Add("taken", "1", pure, map[string]string{"own.py": "theirs"})
	i.Add("one", "1", pure, map[string]string{"same/x.py": "1"})
	i.Add("two", "1", pure, map[string]string{"same/X.py": "2"})
	i.AddFile("bomb", "bomb-1-"+pure+".whl", bomb(t, maxUnpacked/(1<<20)+1))
	for name, path := range map[string]string{"up": "../x.py", "root": "/x.py", "back": `a\..\x.py`, "drive": "c:x.py",
		"inner": "a/../../x.py", "empty": "a//x.py", "control": "a\nb.py", "twice": "UP.py"} {
		files := map[string]string{path: "evil"}
		if name == "twice" {
			files["up.py"] = ""
		}
		i.Add(name, "1", pure, files)
	}
	for text, want := range map[string]string{
		"scipy":          "native code only, which cannot run in the sandbox. Python itself has numpy",
		"source":         "is not built here, since that runs its code",
		"new":            "no wheel of pure Python for this version of Python",
		"nothing":        "nothing: there is no such package",
		"needs":          "Python has numpy 2.3.5 itself, which cannot be replaced",
		"Pillow":         "pillow 12.0.0 is there already: Python has it itself",
		"numpy":          "numpy 2.3.5 is there already: Python has it itself",
		"numpy==1.0":     "the project wants numpy==1.0, and Python has numpy 2.3.5 itself",
		"address":        "packages come from the index alone",
		"strange":        "it is not known where this is needed",
		"so":             "it has native code",
		"liar":           "it says that it is other 1",
		"none":           "it has no metadata",
		"text":           "not a valid zip file",
		"forged":         "it is not the file that was meant",
		"unhashed":       "it is not the file that was meant",
		"plain":          "packages are downloaded by https only",
		"inside":         "packages are downloaded by https only",
		"taken":          "/lib/python/own.py is there already, and belongs to no package",
		"bomb":           "more than 256 MiB to unpack",
		"up":             "whose name or kind no package needs",
		"root":           "whose name or kind no package needs",
		"back":           "whose name or kind no package needs",
		"drive":          "whose name or kind no package needs",
		"inner":          "whose name or kind no package needs",
		"empty":          "whose name or kind no package needs",
		"control":        "whose name or kind no package needs",
		"twice":          "twice",
		"../x":           "is not the name of a package",
		"-r file":        "is not the name of a package",
		"x==":            "is not a condition on versions",
		"x; y":           "it is not known where this is needed",
		"one==2":         "one cannot be had (the project wants one==2): no version for this version of Python",
		"git+https://x/": "is not a condition on versions",
	} {
		t.Run(text, func(t *testing.T) {
			f := newFolder()
			require.NoError(t, afero.WriteFile(f.Files, "/lib/python/own.py", []byte("mine"), 0o600))
			_, err := f.Add(t.Context(), index(i), python, []string{text})
			require.ErrorContains(t, err, want)
			require.Equal(t, map[string]string{"/lib/python/own.py": "mine"}, tree(t, f))
		})
	}
	t.Run("two packages with one file", func(t *testing.T) {
		f := newFolder()
		_, err := f.Add(t.Context(), index(i), python, []string{"one"})
		require.NoError(t, err)
		before := tree(t, f)
		_, err = f.Add(t.Context(), index(i), python, []string{"two"})
		require.ErrorContains(t, err, "both have the file same/X.py")
		require.Equal(t, before, tree(t, f))
	})
	for _, url := range i.Asked() {
		require.Regexp(t, "^https://(index|files).example/", url)
	}
}

// TestForgedLocks has lock files and lists of files that code in the sandbox may have written.
func TestForgedLocks(t *testing.T) {
	i := pypitest.New()
	i.Add("a", "1", pure, map[string]string{"a.py": "good"})
	good := newFolder()
	_, err := good.Add(t.Context(), index(i), python, []string{"a"})
	require.NoError(t, err)
	lock := tree(t, good)["/python.lock"]
	for name, test := range map[string]struct{ lock, want string }{
		"no JSON":        {"x", "no lock file that toolrun has written"},
		"another format": {`{"format": 2}`, "no lock file that toolrun has written"},
		"another hash":   {strings.Replace(lock, `"sha256": "`, `"sha256": "0`, 1), "which cannot be"},
		"a forged hash": {strings.ReplaceAll(lock, goodHash(lock), strings.Repeat("a", 64)),
			"not the file that was meant"},
		"a name with path": {strings.ReplaceAll(lock, `"name": "a"`, `"name": "../a"`), "which cannot be"},
		"what is no name":  {strings.ReplaceAll(lock, `"a"`, `"https://evil.example/"`), ""},
		"too much":         {strings.Repeat(" ", maxLock+1), "no file of at most"},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFolder()
			require.NoError(t, afero.WriteFile(f.Files, "/python.lock", []byte(test.lock), 0o600))
			_, err := f.Add(t.Context(), index(i), python, nil)
			require.ErrorContains(t, err, test.want)
			require.Len(t, tree(t, f), 1)
		})
	}
	t.Run("files outside of the folder", func(t *testing.T) {
		for _, info := range []string{"a-1.dist-info", "../evil.dist-info", "..", "/etc", "x/../../evil.dist-info"} {
			f := newFolder()
			_, err := f.Add(t.Context(), index(i), python, []string{"a"})
			require.NoError(t, err)
			for _, name := range []string{"/mine.txt", "/evil.dist-info/x", "/lib/mine.txt"} {
				require.NoError(t, afero.WriteFile(f.Files, name, nil, 0o600))
			}
			record := []byte("../../mine.txt,,\n/mine.txt,,\n../mine.txt,,\na/../../mine.txt,,\n.,,\n")
			require.NoError(t, afero.WriteFile(f.Files, "/lib/python/a-1.dist-info/RECORD", record, 0o600))
			require.NoError(t, afero.WriteFile(f.Files, "/lib/evil.dist-info/RECORD", record, 0o600))
			require.NoError(t, afero.WriteFile(f.Files, "/python.lock",
				[]byte(strings.ReplaceAll(lock, "a-1.dist-info", info)), 0o600))
			_, err = f.Remove([]string{"a"})
			require.NoError(t, err)
			for _, name := range []string{"/mine.txt", "/evil.dist-info/x", "/lib/mine.txt"} {
				require.Contains(t, tree(t, f), name)
			}
		}
	})
}

func goodHash(lock string) string {
	_, rest, _ := strings.Cut(lock, `"sha256": "`)
	hash, _, _ := strings.Cut(rest, `"`)
	return hash
}

func TestVersions(t *testing.T) {
	// each is before the next one
	ordered := []string{"0.9", "1.dev0", "1.0.dev456", "1.0a1", "1.0a2.dev456", "1.0a12", "1.0b1.dev456", "1.0b2",
		"1.0b2.post345", "1.0rc1.dev456", "1.0rc1", "1.0", "1.0.post456.dev34", "1.0.post456", "1.0.15", "1.1.dev1",
		"1.10", "2024.1", "1!0.1"}
	for n := range ordered[1:] {
		a, ok := parseVersion(ordered[n])
		b, ok2 := parseVersion(ordered[n+1])
		require.True(t, ok && ok2)
		require.Equal(t, -1, a.compare(b), "%s, %s", ordered[n], ordered[n+1])
		require.Equal(t, 1, b.compare(a))
	}
	for text, same := range map[string]string{"v1.0": "1", "1.0.0": "1", "1.0-ALPHA_1": "1a1", "1.0c2": "1.0rc2",
		"1.0-3": "1.0.post3", "1.0.REV": "1.0.post0", "1+local.1": "1"} {
		a, ok := parseVersion(text)
		b, ok2 := parseVersion(same)
		require.True(t, ok && ok2)
		require.Zero(t, a.compare(b), text)
	}
	for _, text := range []string{"", "x", "1..2", "1.0.x", "1 2", strings.Repeat("9", 30)} {
		_, ok := parseVersion(text)
		require.False(t, ok, text)
	}
	for _, test := range []struct {
		conditions, yes, no string
	}{
		{">=1.2,<2", "1.2 1.9.9 1.2.post1", "1.1 2 2.0rc1 1.2rc1"}, {"==1.2", "1.2 1.2.0", "1.2.1 1.2rc1"},
		{"==1.2.*", "1.2 1.2.7 1.2rc1", "1.3 1.20"}, {"!=1.2.*", "1.3", "1.2.1"}, {"~=1.4", "1.4 1.9", "2.0 1.3"},
		{"~=1.4.5", "1.4.5 1.4.9", "1.5 1.4.4"}, {">1.7", "1.7.1 1.8", "1.7 1.7.post1"}, {"<=2", "2 1", "2.1"},
		{"===1.0", "1.0", "1"}, {"", "1 0.1", ""}, {">=2.0rc1", "2.0rc1 2", "2.0b1"}, {"<2.0rc1", "2.0b1", "2.0rc1"},
	} {
		all, err := parseSpecifiers(test.conditions)
		require.NoError(t, err)
		for text := range strings.FieldsSeq(test.yes) {
			v, _ := parseVersion(text)
			require.True(t, allowAll(all, v, text), "%s: %s", test.conditions, text)
		}
		for text := range strings.FieldsSeq(test.no) {
			v, _ := parseVersion(text)
			require.False(t, allowAll(all, v, text), "%s: %s", test.conditions, text)
		}
	}
	three, _ := parseVersion("3.11.2")
	for tag, want := range map[string]bool{"py3": true, "py311": true, "py37": true, "py312": false, "cp311": true,
		"cp310": false, "py2": false, "py30": true, "": false, "py3x": false} {
		require.Equal(t, want, three.runs(tag), tag)
	}
}

func TestMarkers(t *testing.T) {
	env := environment("3.11.2")
	for text, want := range map[string]bool{
		"python_version >= '3.8'": true, `python_version < "3.10"`: false, "sys_platform == 'win32'": false,
		"python_version >= '3.8' and (sys_platform == 'wasi' or os_name == 'nt')": true, "extra == 'x'": true,
		"extra == 'y'": false, "'linux' in sys_platform": false, "sys_platform not in 'linux darwin'": true,
		"python_full_version<'3.11.3'": true, "implementation_name != 'cpython'": false,
		"extra == 'X' and os_name=='nt'":              false,
		"platform_python_implementation == 'CPython'": true, "python_version == '3.11' or extra == 'no'": true,
	} {
		r := requirement{marker: text}
		holds, err := r.wanted(env, []string{"x"})
		require.NoError(t, err, text)
		require.Equal(t, want, holds, text)
	}
	for _, text := range []string{"x", "x == '1'", "os_name", "os_name ==", "os_name == 'a", "os_name == 'a' or",
		"(os_name == 'a'", "os_name == 'a')", "os_name not 'a'", "os_name ~ 'a'",
		strings.Repeat("(", 100), "os_name == 'a' and and"} {
		r := requirement{marker: text}
		_, err := r.wanted(env, nil)
		require.ErrorIs(t, err, errMarker, text)
	}
}

// FuzzRequirement has arbitrary texts as requirements and markers.
func FuzzRequirement(f *testing.F) {
	for _, text := range []string{"rich[a, b]>=13,!=14.*; python_version >= '3.8' and (extra == 'x')", "x @ y",
		"a(>1)"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseRequirement(text)
		if err != nil {
			return
		}
		require.Regexp(t, `^[a-z0-9]([a-z0-9-]*[a-z0-9])?$`, r.name)
		_, _ = r.wanted(environment("3.11.2"), r.extras)
	})
}
