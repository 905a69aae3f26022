package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInstalledBy(t *testing.T) {
	file := "toolrun-VERSION-" + runtime.GOOS + "-" + runtime.GOARCH
	for _, c := range []struct {
		program, packed string
		published       bool
		how, file, then string
	}{
		{"/usr/bin/toolrun", "deb", false, "from a .deb package", file + ".deb",
			"type: sudo apt install ./" + file + ".deb"},
		{"/usr/bin/toolrun", "rpm", false, "from an .rpm package", file + ".rpm", "type: sudo rpm -U " + file + ".rpm"},
		{"/usr/bin/toolrun", "image", false, "in a container image", "",
			"type: docker pull ghcr.io/toolrun/toolrun:latest"},
		{"/home/ada/x/bin/toolrun", "bundle", false, "by an MCP client, from a bundle", file + ".mcpb",
			"open it with the client."},
		{"/home/ada/.npm/_npx/1f/node_modules/@toolrun/linux-x64/bin/toolrun", "npm", false, "by npx", "",
			"type: npx toolrun@latest"},
		{"/usr/lib/node_modules/toolrun/node_modules/@toolrun/linux-x64/bin/toolrun", "npm", false, "by npm", "",
			"type: npm install --global toolrun@latest"},
		{"/home/ada/app/node_modules/@toolrun/linux-x64/bin/toolrun", "npm", false, "by npm, in a directory", "",
			"type there: npm install toolrun@latest"},
		{"/opt/homebrew/Cellar/toolrun/0.1.0/bin/toolrun", "archive", false, "by Homebrew", "",
			"type: brew upgrade toolrun"},
		{"C:/Users/ada/scoop/apps/toolrun/current/bin/toolrun.exe", "archive", false, "by Scoop", "",
			"type: scoop update toolrun"},
		{"C:/Users/ada/AppData/Local/Microsoft/WinGet/Packages/Toolrun.Toolrun_x/bin/toolrun.exe", "archive", false,
			"by winget", "", "type: winget upgrade Toolrun.Toolrun"},
		{"/home/ada/go/bin/toolrun", "", true, "by Go", "",
			"type: go install github.com/toolrun/toolrun/cmd/toolrun@latest"},
		{"/home/ada/go/bin/toolrun", "", false, "from a checkout", "",
			"type there: git pull && go install ./cmd/toolrun"},
	} {
		require.Equal(t, way{c.how, c.file, c.then}, installedBy(c.program, c.packed, c.published), c.program)
	}
	if runtime.GOOS != "windows" {
		require.Equal(t, way{"from an archive", file + ".tar.gz",
			"type: tar -xzf " + file + ".tar.gz --strip-components=1 -C /usr/local"},
			installedBy("/usr/local/bin/toolrun", "archive", false))
	}
}

// The word that a package has beside the program is found through links, as package managers make them.
func TestUpgradeFollowsLinks(t *testing.T) {
	dir := t.TempDir()
	for _, made := range []string{"Cellar/toolrun/1/bin", "Cellar/toolrun/1/lib/toolrun", "bin"} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, made), 0o755))
	}
	program := filepath.Join(dir, "Cellar/toolrun/1/bin/toolrun")
	require.NoError(t, os.WriteFile(program, nil, 0o755))
	word := filepath.Join(dir, "Cellar/toolrun/1/lib/toolrun/package")
	require.NoError(t, os.WriteFile(word, []byte("archive\n"), 0o644))
	link := filepath.Join(dir, "bin", "toolrun")
	if err := os.Symlink(program, link); err != nil {
		t.Skip("links cannot be made here")
	}
	var stdout bytes.Buffer
	host := &Host{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: io.Discard, Program: link,
		LookupEnv: func(string) (string, bool) { return "", false }}
	require.Equal(t, exitOK, Run(t.Context(), host, []string{"upgrade"}))
	require.Contains(t, stdout.String(), " was installed by Homebrew: ")
	require.Contains(t, stdout.String(), "To upgrade it, type: brew upgrade toolrun\n")
}
