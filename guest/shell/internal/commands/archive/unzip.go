package archive

import (
	"archive/zip"
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/patterns"
)

var unzipCommand = &command.Command{
	Name:     "unzip",
	Operands: "[OPTION]... ZIPFILE[.zip] [NAME]... [-x NAME...] [-d DIR]",
	Summary:  "List, test and extract the files of a zip archive.",
	Options: []command.Option{
		{Short: 'l', Help: "list files (short format)"},
		{Short: 'v', Help: "list verbosely"},
		{Short: 'Z', Help: "list names only (-Z1)"},
		{Short: 't', Help: "test the archive's data"},
		{Short: 'p', Help: "extract files to standard output, no messages"},
		{Short: 'c', Help: "extract files to standard output, with their names"},
		{Short: 'o', Help: "overwrite files WITHOUT prompting"},
		{Short: 'n', Help: "never overwrite existing files"},
		{Short: 'u', Help: "update files, create if necessary"},
		{Short: 'j', Help: "junk paths (do not make directories)"},
		{Short: 'q', Help: "quiet mode (-qq: quieter)"},
		{Short: 'x', Arg: "NAME...", Help: "exclude files that follow"},
		{Short: 'd', Arg: "DIR", Help: "extract files into DIR"},
		{Short: 'C', Help: "match names case-insensitively"},
	},
	Raw: true, Run: runUnzip,
}

type unzipRun struct {
	c                                        *command.Context
	list, verbose, names, test, pipe, stream bool
	overwrite, never, update, junk, fold     bool
	quiet                                    int
	dir                                      string
	wanted, excluded                         []string
	out                                      *bufio.Writer
	status                                   int
}

func runUnzip(c *command.Context) int {
	u := &unzipRun{c: c, out: c.Output()}
	archive, status := u.options(c.Args)
	if archive == "" {
		return status
	}
	status = u.run(archive)
	if u.out.Flush() != nil {
		return 50
	}
	return status
}

func (u *unzipRun) options(args []string) (archive string, status int) {
	c := u.c
	excluding := false
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if arg == "-" || !strings.HasPrefix(arg, "-") {
			switch {
			case archive == "":
				archive = arg
			case excluding:
				u.excluded = append(u.excluded, arg)
			default:
				u.wanted = append(u.wanted, arg)
			}
			continue
		}
		excluding = false
		for i := 1; i < len(arg); i++ {
			switch arg[i] {
			case 'l':
				u.list = true
			case 'v':
				u.list, u.verbose = true, true
			case 'Z', '1':
				u.names = true
			case 't':
				u.test = true
			case 'p':
				u.pipe = true
			case 'c':
				u.stream = true
			case 'o':
				u.overwrite = true
			case 'n':
				u.never = true
			case 'u', 'f':
				u.update = true
			case 'j':
				u.junk = true
			case 'q':
				u.quiet++
			case 'C':
				u.fold = true
			case 'x':
				excluding = true
			case 'a', 'b', 'X', 'K', 'L', 'U', 'V', ':', '-':
			case 'd':
				if i+1 < len(arg) {
					u.dir = arg[i+1:]
				} else if len(args) > 0 {
					u.dir, args = args[0], args[1:]
				} else {
					fmt.Fprintln(c.Stderr, "error:  must specify directory to which to extract with -d option")
					return "", 10
				}
				i = len(arg)
			default:
				fmt.Fprintf(c.Stderr, "unzip: invalid option -- '%c'\nTry 'unzip --help' for more information.\n",
					arg[i])
				return "", 10
			}
		}
	}
	if archive == "" {
		c.Run(command.Call{Args: []string{c.Name, "--help"}})
		return "", 0
	}
	return archive, 0
}

// load opens an archive, whose suffix can be left out.
func (u *unzipRun) load(name string) (*zip.Reader, string, int) {
	c := u.c
	found := name
	data, err := c.ReadFile(name)
	if err != nil {
		for _, suffix := range []string{".zip", ".ZIP"} {
			if data, err = c.ReadFile(name + suffix); err == nil {
				found = name + suffix
				break
			}
		}
	}
	if err != nil {
		fmt.Fprintf(c.Stderr, "unzip:  cannot find or open %s, %s.zip or %s.ZIP.\n", name, name, name)
		return nil, "", 9
	}
	r, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		if u.quiet == 0 {
			fmt.Fprintf(u.out, "Archive:  %s\n", found)
			_ = u.out.Flush()
		}
		fmt.Fprint(c.Stderr, "  End-of-central-directory signature not found.  Either this file is not\n"+
			"  a zipfile, or it constitutes one disk of a multi-part archive.  In the\n"+
			"  latter case the central directory and zipfile comment will be found on\n"+
			"  the last disk(s) of this archive.\n")
		fmt.Fprintf(c.Stderr,
			"unzip:  cannot find zipfile directory in one of %s or\n        %s.zip, and cannot find %s.ZIP, period.\n",
			name, name, name)
		return nil, "", 9
	}
	return r, found, 0
}

func (u *unzipRun) match(pattern, name string) bool {
	if u.fold {
		pattern, name = strings.ToLower(pattern), strings.ToLower(name)
	}
	return patterns.Match(pattern, name)
}

func (u *unzipRun) run(name string) int {
	r, found, status := u.load(name)
	if r == nil {
		return status
	}
	matched := make([]bool, len(u.wanted))
	var files []*zip.File
	for _, f := range r.File {
		ok := len(u.wanted) == 0
		for i, pattern := range u.wanted {
			if u.match(pattern, f.Name) {
				ok, matched[i] = true, true
			}
		}
		for _, pattern := range u.excluded {
			ok = ok && !u.match(pattern, f.Name)
		}
		if ok {
			files = append(files, f)
		}
	}
	switch {
	case u.names:
		for _, f := range files {
			fmt.Fprintln(u.out, f.Name)
		}
		return 0
	case u.list:
		if u.quiet < 2 {
			fmt.Fprintf(u.out, "Archive:  %s\n", found)
		}
		u.show(files)
		return 0
	}
	if !u.pipe && u.quiet == 0 {
		fmt.Fprintf(u.out, "Archive:  %s\n", found)
		if r.Comment != "" {
			fmt.Fprintln(u.out, r.Comment)
		}
	}
	for _, f := range files {
		if u.c.Context().Err() != nil {
			return 143
		}
		u.extract(f)
		if u.status >= 50 {
			return u.status
		}
	}
	if u.test && u.status == 0 {
		fmt.Fprintf(u.out, "No errors detected in compressed data of %s.\n", found)
	}
	for i, ok := range matched {
		if !ok {
			_ = u.out.Flush()
			fmt.Fprintf(u.c.Stderr, "caution: filename not matched:  %s\n", u.wanted[i])
			u.status = max(u.status, 11)
		}
	}
	return u.status
}

// show lists files.
func (u *unzipRun) show(files []*zip.File) {
	zone := u.zone()
	var whole, packed uint64
	if u.verbose {
		fmt.Fprint(u.out, " Length   Method    Size  Cmpr    Date    Time   CRC-32   Name\n"+
			"--------  ------  ------- ---- ---------- ----- --------  ----\n")
	} else {
		fmt.Fprint(u.out, "  Length      Date    Time    Name\n---------  ---------- -----   ----\n")
	}
	percent := func(whole, packed uint64) int {
		if whole == 0 {
			return 0
		}
		return int(100 * (float64(whole) - float64(packed)) / float64(whole))
	}
	for _, f := range files {
		whole += f.UncompressedSize64
		packed += f.CompressedSize64
		when := f.Modified.In(zone).Format("2006-01-02 15:04")
		if u.verbose {
			method := "Defl:N"
			if f.Method == zip.Store {
				method = "Stored"
			}
			fmt.Fprintf(u.out, "%8d  %s %8d %3d%% %s %08x  %s\n", f.UncompressedSize64, method, f.CompressedSize64,
				percent(f.UncompressedSize64, f.CompressedSize64), when, f.CRC32, f.Name)
		} else {
			fmt.Fprintf(u.out, "%9d  %s   %s\n", f.UncompressedSize64, when, f.Name)
		}
	}
	plural := "s"
	if len(files) == 1 {
		plural = ""
	}
	if u.verbose {
		fmt.Fprintf(u.out,
			"--------          -------  ---                            -------\n"+
				"%8d         %8d %3d%%%s%d file%s\n", whole, packed,
			percent(whole, packed), strings.Repeat(" ", 28), len(files), plural)
		return
	}
	fmt.Fprintf(u.out, "---------                     -------\n%9d%s%d file%s\n", whole, strings.Repeat(" ", 21),
		len(files), plural)
}

func (u *unzipRun) zone() *time.Location {
	if name := u.c.Getenv("TZ"); name != "" {
		if l, err := time.LoadLocation(name); err == nil {
			return l
		}
	}
	return time.UTC
}

func (u *unzipRun) fail(status int, format string, args ...any) {
	_ = u.out.Flush()
	fmt.Fprintf(u.c.Stderr, format+"\n", args...)
	u.status = max(u.status, status)
}

// extract extracts, tests or shows a file.
func (u *unzipRun) extract(f *zip.File) {
	name := strings.ReplaceAll(f.Name, "\\", "/")
	dir := strings.HasSuffix(name, "/")
	if u.test {
		fmt.Fprintf(u.out, "    testing: %-22s ", f.Name)
		if err := u.copy(io.Discard, f); err != nil {
			fmt.Fprintln(u.out, " "+problem(err))
			u.status = max(u.status, 2)
			return
		}
		fmt.Fprintln(u.out, "  OK")
		return
	}
	if u.pipe || u.stream {
		if dir {
			return
		}
		if u.stream {
			fmt.Fprintf(u.out, "  inflating: %s  \n", f.Name)
		}
		if err := u.copy(u.out, f); err != nil {
			u.fail(2, "error:  %s: %s", f.Name, problem(err))
		}
		return
	}
	// Nothing is written outside of the directory.
	clean := strings.TrimLeft(name, "/")
	if clean != name {
		u.fail(1, "warning:  stripped absolute path spec from %s", f.Name)
	}
	var parts []string
	skipped := false
	for part := range strings.SplitSeq(clean, "/") {
		if part == ".." {
			skipped = true
		} else if part != "" && part != "." {
			parts = append(parts, part)
		}
	}
	if skipped {
		u.fail(1, "warning:  skipped \"../\" path component(s) in %s", f.Name)
	}
	clean = strings.Join(parts, "/")
	if u.junk {
		if dir {
			return
		}
		clean = path.Base(clean)
	}
	if clean == "" {
		return
	}
	target := clean
	if u.dir != "" {
		target = strings.TrimSuffix(u.dir, "/") + "/" + clean
	}
	if dir {
		if _, err := u.c.Stat(target); err == nil {
			return
		}
		if u.quiet == 0 {
			fmt.Fprintf(u.out, "   creating: %s/\n", target)
		}
		if err := u.c.MkdirAll(target, 0o777); err != nil {
			u.fail(2, "checkdir error:  cannot create %s\n                 %s\n                 unable to process %s.",
				target,
				command.Text(err), f.Name)
		}
		return
	}
	if info, err := u.c.Lstat(target); err == nil {
		if u.never || u.update && !f.Modified.After(info.ModTime()) {
			return
		}
		if !u.overwrite && !u.update {
			if !u.ask(target) {
				return
			}
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			_ = u.c.Unlink(target)
		}
	}
	if f.Mode()&fs.ModeSymlink != 0 {
		u.fail(2, "error:  %s is a symbolic link, which is not made", f.Name)
		return
	}
	u.write(target, f)
}

// ask asks whether a file is to be replaced. Without an answer, none is.
func (u *unzipRun) ask(target string) bool {
	_ = u.out.Flush()
	fmt.Fprintf(u.c.Stderr, "replace %s? [y]es, [n]o, [A]ll, [N]one, [r]ename: ", target)
	var answer [2]byte
	n, err := u.c.Stdin.Read(answer[:])
	if n == 0 || err != nil {
		fmt.Fprint(u.c.Stderr, " NULL\n(EOF or read error, treating as \"[N]one\" ...)\n")
		u.never = true
		u.status = max(u.status, 1)
		return false
	}
	switch answer[0] {
	case 'y', 'Y':
		return true
	case 'A':
		u.overwrite = true
		return true
	case 'N':
		u.never = true
	}
	return false
}

func (u *unzipRun) write(target string, f *zip.File) {
	out, err := u.c.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		parent := path.Dir(target)
		if err = u.c.MkdirAll(parent, 0o777); err == nil {
			out, err = u.c.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
		}
	}
	if err != nil {
		u.fail(50, "error:  cannot create %s\n        %s", target, command.Text(err))
		return
	}
	what := " inflating"
	if f.Method == zip.Store {
		what = "extracting"
	}
	if u.quiet == 0 {
		fmt.Fprintf(u.out, " %s: %-22s  ", what, target)
	}
	err = u.copy(out, f)
	if closing := out.Close(); err == nil {
		err = closing
	}
	if err != nil {
		u.fail(2, " %s", problem(err))
		return
	}
	if u.quiet == 0 {
		fmt.Fprintln(u.out)
	}
	_ = u.c.Chtimes(target, f.Modified, f.Modified)
	if mode := f.Mode().Perm(); mode != 0 {
		_ = u.c.Chmod(target, mode)
	}
}

func (u *unzipRun) copy(out io.Writer, f *zip.File) error {
	in, err := f.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	_, err = io.Copy(out, in)
	return err
}

// problem says what is wrong with data.
func problem(err error) string {
	switch {
	case errors.Is(err, zip.ErrChecksum):
		return "bad CRC"
	case errors.Is(err, zip.ErrAlgorithm):
		return "unsupported compression method"
	}
	return command.Text(err)
}
