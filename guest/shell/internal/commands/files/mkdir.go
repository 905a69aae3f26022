package files

import (
	"fmt"
	"strings"
	"syscall"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var mkdir = &command.Command{
	Name:     "mkdir",
	Operands: "[OPTION]... DIRECTORY...",
	Summary:  "Create the DIRECTORY(ies), if they do not already exist.",
	Options: []command.Option{
		{Short: 'm', Long: "mode", Arg: "MODE", Help: "set file mode (as in chmod), not a=rwx - umask"},
		{Short: 'p', Long: "parents", Help: "no error if existing, make parent directories as needed"},
		{Short: 'v', Long: "verbose", Help: "print a message for each created directory"},
	},
	Run: runMkdir,
}

func runMkdir(c *command.Context) int {
	if len(c.Args) == 0 {
		return c.Missing()
	}
	ok := true
	for _, name := range c.Args {
		if failed, err := makeDir(c, name); err != nil {
			c.Errorf("cannot create directory %s: %s", command.QuoteText(failed), command.Text(err))
			ok = false
		}
	}
	return command.Status(ok)
}

// makeDir makes a directory. If it fails, it returns at which directory.
func makeDir(c *command.Context, name string) (failed string, err error) {
	make := func(dir string) error {
		err := c.Mkdir(dir, 0o777)
		if err == nil && c.Has("verbose") {
			fmt.Fprintf(c.Stdout, "mkdir: created directory %s\n", command.Quote(dir))
		}
		return err
	}
	if !c.Has("parents") || name == "" {
		return name, make(name)
	}
	for i := 1; i <= len(name); i++ {
		if i < len(name) && name[i] != '/' || name[i-1] == '/' {
			continue
		}
		dir := name[:i]
		info, err := c.Stat(dir)
		switch {
		case err == nil && info.IsDir():
			continue
		case err == nil && i < len(strings.TrimRight(name, "/")):
			_, err = c.Stat(dir + "/")
			return dir, err
		}
		if err := make(dir); err != nil {
			return dir, err
		}
	}
	return "", nil
}

var rmdir = &command.Command{
	Name:     "rmdir",
	Operands: "[OPTION]... DIRECTORY...",
	Summary:  "Remove the DIRECTORY(ies), if they are empty.",
	Options: []command.Option{
		{Long: "ignore-fail-on-non-empty", Help: "ignore each failure to remove a non-empty directory"},
		{Short: 'p', Long: "parents", Help: "remove DIRECTORY and its ancestors"},
		{Short: 'v', Long: "verbose", Help: "output a diagnostic for every directory processed"},
	},
	Run: runRmdir,
}

func runRmdir(c *command.Context) int {
	if len(c.Args) == 0 {
		return c.Missing()
	}
	ok := true
	for _, name := range c.Args {
		for dir := name; ; dir = dirName(dir) {
			if c.Has("verbose") {
				fmt.Fprintf(c.Stdout, "rmdir: removing directory, %s\n", command.Quote(dir))
			}
			var err error = syscall.EINVAL
			if baseName(dir) != "." {
				err = c.Rmdir(dir)
			}
			if err != nil {
				if c.Has("ignore-fail-on-non-empty") && command.Text(err) == "Directory not empty" {
					break
				}
				what := ""
				if dir != name {
					what = "directory "
				}
				c.Errorf("failed to remove %s%s: %s", what, command.Quote(dir), command.Text(err))
				ok = false
				break
			}
			if next := dirName(dir); !c.Has("parents") || next == "." || next == "/" {
				break
			}
		}
	}
	return command.Status(ok)
}
