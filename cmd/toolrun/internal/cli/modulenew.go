package cli

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/ownversion"
	"github.com/toolrun/toolrun/tool"
)

// newModuleFiles are templates, in a folder for each language. Those beside the folders are for languages whose
// programs do not describe themselves.
//
//go:embed newmodule
var newModuleFiles embed.FS

// moduleLanguages are the values of --lang.
var moduleLanguages = []string{"go", "rust", "c", "tinygo"}

const templateSuffix = ".tmpl"

func newModuleNew() *cobra.Command {
	var language string
	cmd := &cobra.Command{
		Use:   "new --lang LANGUAGE DIR",
		Short: "Write the start of a tool in Go, Rust, C or TinyGo",
		Long: `Write a small tool that builds and runs, to begin with. The tool's name is that
of the directory. build.sh builds it, and toolrun module add adds it.`,
		Example: "  toolrun module new --lang go wordcount\n" +
			"  toolrun module new --lang rust wordcount",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(moduleLanguages, language) {
				return fmt.Errorf("--lang must be one of %s", strings.Join(moduleLanguages, ", "))
			}
			whole, err := filepath.Abs(hostOf(cmd).path(args[0]))
			if err != nil {
				return err
			}
			name := filepath.Base(whole)
			if err := tool.CheckName(name); err != nil {
				return fmt.Errorf("the directory's name %q becomes the tool's: %w", name, err)
			}
			files, err := writeModule(whole, language, name)
			if err != nil {
				return err
			}
			asJSON, _ := cmd.Flags().GetBool("json")
			text := fmt.Sprintf("wrote %s in %s\n\nNext:\n  cd %s\n", strings.Join(files, ", "), args[0], args[0])
			if language == "go" {
				if ownversion.Published() == "" {
					text += "  go mod edit -require=github.com/toolrun/toolrun@v0.0.0 " +
						"-replace=github.com/toolrun/toolrun=CLONE\n"
				}
				text += "  go mod tidy\n"
			}
			text += "  ./build.sh\n  toolrun module add .\n" +
				fmt.Sprintf("  toolrun call %s '{\"text\": \"two words\"}'\n", name)
			if strings.Contains(text, "CLONE") {
				text += "\nThis toolrun is no published version: " +
					"CLONE is the directory of the source that it was built from.\n"
			}
			return outcome{
				text: text, data: map[string]any{"dir": args[0], "files": files},
			}.print(cmd.OutOrStdout(), asJSON)
		},
	}
	cmd.Flags().StringVar(&language, "lang", "", "the `LANGUAGE`: "+strings.Join(moduleLanguages, ", "))
	return cmd
}

// writeModule writes the files of a language into a directory, none of which may be there, and returns their names.
func writeModule(dir, language, name string) (names []string, err error) {
	require := ""
	if v := ownversion.Published(); v != "" {
		require = "require github.com/toolrun/toolrun " + v
	}
	values := strings.NewReplacer("<%name%>", name, "<%require%>", require)
	root := path.Join("newmodule", language)
	contents := map[string][]byte{}
	add := func(file, target string) error {
		text, err := newModuleFiles.ReadFile(file)
		if err != nil {
			return err
		}
		contents[target] = []byte(strings.TrimSpace(values.Replace(string(text))) + "\n")
		names = append(names, target)
		return nil
	}
	err = fs.WalkDir(newModuleFiles, root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		return add(file, strings.TrimSuffix(strings.TrimPrefix(file, root+"/"), templateSuffix))
	})
	if err == nil && language != "go" { // a Go program describes itself
		err = add("newmodule/"+manifestName+templateSuffix, manifestName)
	}
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if _, err := os.Lstat(filepath.Join(dir, name)); err == nil {
			return nil, fmt.Errorf("%s is there already", filepath.Join(dir, name))
		} else if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	for _, name := range names {
		target := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(target), 0o777); err != nil {
			return nil, err
		}
		mode := fs.FileMode(0o666)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o777
		}
		if err := os.WriteFile(target, contents[name], mode); err != nil {
			return nil, err
		}
	}
	return names, nil
}
