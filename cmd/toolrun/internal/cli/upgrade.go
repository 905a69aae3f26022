package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/ownversion"
)

// releases is where people find versions, and programs their files.
const releases = "https://github.com/toolrun/toolrun/releases"

func newUpgrade() *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "upgrade",
		Short: "Print how this copy was installed, and how to upgrade it",
		Long: `Print how this copy of toolrun was installed, and what to type for another
version. Nothing is changed, and no server is asked for new versions: they are
listed at ` + releases + ".",
		Example: "  toolrun upgrade",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			program, lib, err := hostOf(cmd).installation()
			if err != nil {
				return err
			}
			packed, err := os.ReadFile(filepath.Join(lib, "package"))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
			by := installedBy(filepath.ToSlash(program), strings.TrimSpace(string(packed)), ownversion.Fetched())
			text := fmt.Sprintf("toolrun %s was installed %s: %s\n", ownversion.Get(), by.how, program)
			if by.file != "" {
				text += fmt.Sprintf("To upgrade it, download %s from\n%s, and %s\n", by.file, releases, by.then)
			} else {
				text += fmt.Sprintf("To upgrade it, %s\nVersions are listed at %s.\n", by.then, releases)
			}
			return outcome{text: text, data: map[string]string{"version": ownversion.Get(), "program": program,
				"installed": by.how, "download": by.file, "then": by.then}}.print(cmd.OutOrStdout(), asJSON)
		},
	}
	addJSON(cmd.Flags(), &asJSON)
	return cmd
}

// A way is one by which a program came to a machine.
type way struct {
	how  string // as in "was installed ..."
	file string // what to download first, or ""
	then string
}

// installedBy says how the program at a path was installed. Packed is the word that a release's package has beside it,
// or "". Published says that Go got the source of a version that is published.
func installedBy(program, packed string, published bool) way {
	file := "toolrun-VERSION-" + runtime.GOOS + "-" + runtime.GOARCH
	has := func(part string) bool { return strings.Contains(program, part) }
	switch {
	case packed == "deb":
		return way{"from a .deb package", file + ".deb", "type: sudo apt install ./" + file + ".deb"}
	case packed == "rpm":
		return way{"from an .rpm package", file + ".rpm", "type: sudo rpm -U " + file + ".rpm"}
	case packed == "image":
		return way{"in a container image", "", "type: docker pull ghcr.io/toolrun/toolrun:latest"}
	case packed == "bundle":
		return way{"by an MCP client, from a bundle", file + ".mcpb", "open it with the client."}
	case packed == "npm" && has("/_npx/"):
		return way{"by npx", "", "type: npx toolrun@latest"}
	case packed == "npm" && (has("/lib/node_modules/") || has("/npm/node_modules/")):
		return way{"by npm", "", "type: npm install --global toolrun@latest"}
	case packed == "npm":
		return way{"by npm, in a directory", "", "type there: npm install toolrun@latest"}
	case packed == "archive" && has("/Cellar/toolrun/"):
		return way{"by Homebrew", "", "type: brew upgrade toolrun"}
	case packed == "archive" && has("/scoop/apps/toolrun/"):
		return way{"by Scoop", "", "type: scoop update toolrun"}
	case packed == "archive" && has("/WinGet/Packages/"):
		return way{"by winget", "", "type: winget upgrade Toolrun.Toolrun"}
	case packed == "archive" && runtime.GOOS == "windows":
		return way{"from an archive", file + ".zip", "unpack it over the directory that has bin and lib."}
	case packed == "archive":
		prefix := strings.TrimSuffix(program, "/bin/toolrun")
		return way{"from an archive", file + ".tar.gz",
			"type: tar -xzf " + file + ".tar.gz --strip-components=1 -C " + prefix}
	case published:
		return way{"by Go", "", "type: go install " + goModule + "/cmd/toolrun@latest"}
	}
	return way{"from a checkout", "", "type there: git pull && go install ./cmd/toolrun"}
}
