package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/docs"
	"github.com/toolrun/toolrun/internal/docsite"
	"github.com/toolrun/toolrun/internal/ownversion"
)

func newDocs() *cobra.Command {
	var to string
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "docs",
		Short: "Read the documentation in a browser",
		Long: `Open the documentation of this version in a browser. It is in this program, so
it needs no network. With --to it is written to a directory and not opened: the
files need no server, and can be served by any.`,
		Example: "  toolrun docs\n" +
			"  toolrun docs --to site",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			host := hostOf(cmd)
			dir := host.path(to)
			if to == "" {
				data, err := host.dirs().Data()
				if err != nil {
					return err
				}
				dir = filepath.Join(data, "docs")
			}
			if err := docsite.Write(dir, docs.Files, sourceOf(ownversion.Get()), ownversion.Get()); err != nil {
				return err
			}
			first := filepath.Join(dir, "index.html")
			if to == "" {
				if err := host.openInBrowser(cmd.Context(), first); err != nil {
					warnings(cmd.ErrOrStderr())(err)
				}
			}
			return outcome{text: first + "\n", data: map[string]string{"index": first}}.print(cmd.OutOrStdout(), asJSON)
		},
	}
	cmd.Flags().StringVar(&to, "to", "", "write the documentation to `DIR`, and do not open it")
	addJSON(cmd.Flags(), &asJSON)
	return cmd
}

// sourceOf is where the files of a version can be read.
func sourceOf(version string) string {
	if !strings.HasPrefix(version, "v") || strings.Contains(version, "-") || strings.Contains(version, "+") {
		version = "main" // it is no version that has a tag
	}
	return "https://github.com/toolrun/toolrun/blob/" + version + "/"
}
