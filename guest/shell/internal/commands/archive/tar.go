package archive

import (
	"archive/tar"
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
	"github.com/toolrun/toolrun/guest/shell/internal/patterns"
)

var tarCommand = func() *command.Command {
	cmd := tarOptions()
	cmd.Raw, cmd.Run = true, runBundled
	return cmd
}()

// runBundled runs tar, whose first argument can be options without "-": tar czf x.tgz dir.
func runBundled(c *command.Context) int {
	args := c.Args
	if len(args) > 0 && args[0] != "" && args[0][0] != '-' {
		args = bundled(args)
	}
	inner := *c
	inner.Args = append([]string{c.Name}, args...)
	return tarOptions().Do(c.Context(), &inner)
}

// tarOptions returns tar as it is once its options have "-".
func tarOptions() *command.Command {
	return &command.Command{
		Name:     "tar",
		Operands: "[OPTION]... [FILE]...",
		Summary:  "Save many files together into one archive (-c), list it (-t), or restore files from it (-x).",
		Options: []command.Option{
			{Short: 'c', Long: "create", Help: "create a new archive"},
			{Short: 't', Long: "list", Help: "list the contents of an archive"},
			{Short: 'x', Long: "extract", Help: "extract files from an archive"},
			{Long: "get"},
			{Short: 'r', Long: "append", Help: "append files to the end of an archive"},
			{Short: 'f', Long: "file", Arg: "ARCHIVE", Help: "use archive file; - is standard input or output"},
			{Short: 'v', Long: "verbose", Help: "list files processed"},
			{Short: 'z', Long: "gzip", Help: "filter the archive through gzip"},
			{Short: 'j', Long: "bzip2", Help: "filter the archive through bzip2"},
			{Short: 'J', Long: "xz", Help: "filter the archive through xz"},
			{Long: "zstd", Help: "filter the archive through zstd"},
			{Short: 'I', Long: "use-compress-program", Arg: "PROG",
				Help: "filter the archive through PROG: gzip, bzip2, xz or zstd"},
			{Short: 'a', Long: "auto-compress", Help: "use archive suffix to determine the compression"},
			{Short: 'C', Long: "directory", Arg: "DIR", Help: "change to directory DIR"},
			{Short: 'T', Long: "files-from", Arg: "FILE", Help: "get names to extract or create from FILE"},
			{Short: 'X', Long: "exclude-from", Arg: "FILE", Help: "exclude patterns listed in FILE"},
			{Long: "exclude", Arg: "PATTERN", Help: "exclude files, given as a PATTERN"},
			{Long: "strip-components", Arg: "NUMBER",
				Help: "strip NUMBER leading components from file names on extraction"},
			{Short: 'O', Long: "to-stdout", Help: "extract files to standard output"},
			{Short: 'k', Long: "keep-old-files", Help: "don't replace existing files when extracting"},
			{Long: "skip-old-files", Help: "don't replace existing files, silently skip over them"},
			{Long: "overwrite"},
			{Short: 'h', Long: "dereference", Help: "follow symlinks; archive the files they point to"},
			{Short: 'P', Long: "absolute-names", Help: "don't strip leading '/'s from file names"},
			{Short: 'm', Long: "touch", Help: "don't extract file modified time"},
			{Short: 'p', Long: "preserve-permissions"},
			{Long: "wildcards", Help: "use wildcards"},
			{Long: "no-recursion", Help: "avoid descending automatically in directories"},
			{Long: "remove-files", Help: "remove files after adding them to the archive"},
			{Long: "mtime", Arg: "DATE", Help: "set mtime for added files, as @SECONDS or YYYY-MM-DD"},
			{Long: "sort", Arg: "ORDER", Help: "directory sorting order: none (default) or name"},
			{Long: "owner", Arg: "NAME"}, {Long: "group", Arg: "NAME"}, {Long: "mode",
				Arg: "MODE"}, {Long: "numeric-owner"},
			{Long: "no-same-owner"}, {Long: "same-owner"}, {Long: "no-same-permissions"}, {Long: "null"},
			{Long: "format", Arg: "FORMAT"}, {Long: "warning",
				Arg: "KEYWORD"}, {Long: "totals"}, {Short: 'o'}, {Short: 'w', Long: "interactive"},
			{Short: 'S', Long: "sparse"}, {Short: 'B', Long: "read-full-records"}, {Short: 'b', Long: "blocking-factor",
				Arg: "N"},
		},
		Notes: "Not here: -u, -A, --delete, --transform, incremental and split archives.\n" +
			"Projects have no links and no owners: links in an archive are reported when they cannot be made.",
		Trouble: 64,
		Run:     runTar,
	}
}

// bundled returns arguments whose first one has the letters of options, whose arguments follow in their order.
func bundled(args []string) []string {
	letters, rest := args[0], args[1:]
	var out []string
	for _, letter := range letters {
		out = append(out, "-"+string(letter))
		if strings.ContainsRune("fCTXb", letter) && len(rest) > 0 {
			out = append(out, rest[0])
			rest = rest[1:]
		}
	}
	return append(out, rest...)
}

// parallel are programs that compress with several threads, and those that write the same format.
var parallel = map[string]string{"pigz": "gzip", "pbzip2": "bzip2", "pixz": "xz", "pzstd": "zstd"}

type tarRun struct {
	c        *command.Context
	dir      string // of -C
	exclude  []string
	failed   bool
	verbose  int
	stripped bool // it was said that "/" is removed
	listing  io.Writer
	width    int
	archive  string
	program  string // that compresses, by -I
}

func (t *tarRun) fail(format string, args ...any) {
	fmt.Fprintf(t.c.Stderr, "tar: "+format+"\n", args...)
	t.failed = true
}

func runTar(c *command.Context) int {
	t := &tarRun{c: c, width: 19}
	operation := ""
	for _, g := range c.Given {
		switch g.Name {
		case "create", "list", "extract", "get", "append":
			name := g.Name
			if name == "get" {
				name = "extract"
			}
			if operation != "" && operation != name {
				c.Usage("You may not specify more than one '-Acdtrux', '--delete' or  '--test-label' option")
				return 2
			}
			operation = name
		case "verbose":
			t.verbose++
		case "use-compress-program":
			program, _, _ := strings.Cut(g.Value, " ")
			t.program = cmp.Or(parallel[program], program)
			if !slices.ContainsFunc(allFormats, func(f *format) bool { return f.name == t.program }) {
				c.Errorf("%s: Cannot exec: there are gzip, bzip2, xz and zstd here", program)
				return 2
			}
		case "exclude":
			t.exclude = append(t.exclude, g.Value)
		case "exclude-from":
			names, err := c.InputLines(g.Value, '\n')
			if err != nil {
				return t.open(g.Value, err)
			}
			t.exclude = append(t.exclude, names...)
		}
	}
	if operation == "" {
		fmt.Fprintln(c.Stderr, "tar: You must specify one of the '-Acdtrux', '--delete' or '--test-label' options")
		fmt.Fprintln(c.Stderr, "Try 'tar --help' or 'tar --usage' for more information.")
		return 2
	}
	names := c.Args
	if from, ok := c.Value("files-from"); ok {
		list, err := c.InputLines(from, c.Separator("null"))
		if err != nil {
			return t.open(from, err)
		}
		names = append(names, list...)
	}
	t.archive = "-"
	if name, ok := c.Value("file"); ok {
		t.archive = name
	}
	outer := c.Files
	if dir, ok := c.Value("directory"); ok {
		info, err := c.Stat(dir)
		if err == nil && !info.IsDir() {
			err = fs.ErrInvalid
			fmt.Fprintf(c.Stderr, "tar: %s: Cannot open: Not a directory\n", dir)
		} else if err != nil {
			fmt.Fprintf(c.Stderr, "tar: %s: Cannot open: %s\n", dir, command.Text(err))
		}
		if err != nil {
			fmt.Fprintln(c.Stderr, "tar: Error is not recoverable: exiting now")
			return 2
		}
		t.dir = c.Path(dir)
	}
	var status int
	switch operation {
	case "create":
		status = t.create(outer, names)
	case "append":
		status = t.append(outer, names)
	default:
		status = t.read(outer, names, operation == "extract")
	}
	if status == 0 && t.failed {
		fmt.Fprintln(c.Stderr, "tar: Exiting with failure status due to previous errors")
		return 2
	}
	return status
}

// open says that a file cannot be opened, which ends everything.
func (t *tarRun) open(name string, err error) int {
	fmt.Fprintf(t.c.Stderr, "tar: %s: Cannot open: %s\ntar: Error is not recoverable: exiting now\n", name,
		command.Text(err))
	return 2
}

// compression returns the format that the options ask for.
func (t *tarRun) compression() *format {
	name := t.c.Last("gzip", "bzip2", "xz", "zstd", "use-compress-program")
	if name == "use-compress-program" {
		name = t.program
	}
	for _, f := range allFormats {
		if f.name == name {
			return f
		}
	}
	if t.c.Has("auto-compress") {
		for _, f := range allFormats {
			if strings.HasSuffix(t.archive, f.suffix) {
				return f
			}
			for suffix := range f.others {
				if strings.HasSuffix(t.archive, suffix) {
					return f
				}
			}
		}
	}
	return nil
}

func (t *tarRun) excluded(name string) bool {
	for _, pattern := range t.exclude {
		pattern = strings.TrimSuffix(pattern, "/")
		for from := 0; ; {
			rest := name[from:]
			if wildcard(pattern, rest) {
				return true
			}
			// A pattern can match from any component on.
			next := strings.IndexByte(rest, '/')
			if next < 0 {
				break
			}
			from += next + 1
		}
	}
	return false
}

// wildcard matches a pattern, whose "*" matches "/", too, with a name or with a directory above it.
func wildcard(pattern, name string) bool {
	for end := len(name); ; {
		if patterns.Match(pattern, name[:end]) {
			return true
		}
		if end = strings.LastIndexByte(name[:end], '/'); end <= 0 {
			return false
		}
	}
}

// create makes an archive.
func (t *tarRun) create(outer command.Files, names []string) int {
	c := t.c
	if len(names) == 0 && !c.Has("files-from") {
		fmt.Fprintln(c.Stderr, "tar: Cowardly refusing to create an empty archive")
		fmt.Fprintln(c.Stderr, "Try 'tar --help' or 'tar --usage' for more information.")
		return 2
	}
	f := t.compression()
	var out io.Writer = c.Stdout
	t.listing = c.Stderr
	if t.archive != "-" {
		file, err := outer.Create(t.archive)
		if err != nil {
			return t.open(t.archive, err)
		}
		defer file.Close()
		out = file
		t.listing = c.Stdout
	}
	buffered := bufio.NewWriterSize(out, 64<<10)
	var w io.Writer = buffered
	var closer io.Closer
	if f != nil {
		level := 6
		if f == zstdFormat {
			level = 3
		}
		compressed, err := f.writer(buffered, level)
		if err != nil {
			return t.open(t.archive, err)
		}
		w, closer = compressed, compressed
	}
	blocks := &command.Counter{W: w}
	archive := tar.NewWriter(blocks)
	if err := t.addAll(archive, names); err != nil {
		return t.write(err)
	}
	err := archive.Close()
	// Archives are made of records of 20 blocks.
	if rest := blocks.N % 10240; err == nil && rest > 0 {
		_, err = blocks.Write(make([]byte, 10240-rest))
	}
	if err == nil && closer != nil {
		err = closer.Close()
	}
	if err == nil {
		err = buffered.Flush()
	}
	if err != nil {
		return t.write(err)
	}
	if c.Has("remove-files") && !t.failed {
		for _, name := range names {
			t.remove(name)
		}
	}
	return 0
}

func (t *tarRun) remove(name string) {
	full := t.at(name)
	if info, err := t.c.Lstat(full); err == nil && info.IsDir() {
		entries, _ := t.c.ReadDir(full)
		for _, e := range entries {
			t.remove(name + "/" + e.Name())
		}
	}
	_ = t.c.Remove(full)
}

func (t *tarRun) write(err error) int {
	fmt.Fprintf(t.c.Stderr, "tar: %s: Cannot write: %s\ntar: Error is not recoverable: exiting now\n", t.archive,
		command.Text(err))
	return 2
}

// append adds files to an archive: the new one is written behind the members of the old one.
func (t *tarRun) append(outer command.Files, names []string) int {
	data, err := outer.ReadFile(t.archive)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return t.open(t.archive, err)
	}
	// The end is where two blocks of zeros begin.
	end := len(data) / 512 * 512
	for end >= 512 && string(data[end-512:end]) == string(make([]byte, 512)) {
		end -= 512
	}
	file, err := outer.OpenFile(t.archive, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return t.open(t.archive, err)
	}
	defer file.Close()
	t.listing = t.c.Stdout
	if _, err := file.Write(data[:end]); err != nil {
		return t.write(err)
	}
	archive := tar.NewWriter(file)
	if err := t.addAll(archive, names); err != nil {
		return t.write(err)
	}
	if err := archive.Close(); err != nil {
		return t.write(err)
	}
	return 0
}

func (t *tarRun) at(name string) string {
	if t.dir == "" || strings.HasPrefix(name, "/") {
		return name
	}
	return t.dir + "/" + name
}

func (t *tarRun) addAll(w *tar.Writer, names []string) error {
	for _, name := range names {
		if err := t.add(w, name); err != nil {
			return err
		}
	}
	return nil
}

// add adds a file, or a directory with all that is in it.
func (t *tarRun) add(w *tar.Writer, name string) error {
	c := t.c
	if t.excluded(name) {
		return nil
	}
	if err := c.Context().Err(); err != nil {
		return err
	}
	full := t.at(name)
	stat := c.Lstat
	if c.Has("dereference") {
		stat = c.Stat
	}
	info, err := stat(full)
	if err != nil {
		t.fail("%s: Cannot stat: %s", name, command.Text(err))
		return nil
	}
	if t.archive != "-" && c.Path(full) == c.Path(t.archive) {
		fmt.Fprintf(c.Stderr, "tar: %s: file is the archive; not dumped\n", name)
		return nil
	}
	target := ""
	if info.Mode()&fs.ModeSymlink != 0 {
		target, _ = c.Readlink(full)
	}
	header, err := tar.FileInfoHeader(info, target)
	if err != nil {
		t.fail("%s: %s", name, command.Text(err))
		return nil
	}
	header.Name = t.member(name)
	if info.IsDir() {
		header.Name = strings.TrimSuffix(header.Name, "/") + "/"
	}
	header.Uid, header.Gid, header.Uname, header.Gname = 1000, 1000, "user", "user"
	header.ModTime = header.ModTime.Truncate(time.Second)
	header.AccessTime, header.ChangeTime = time.Time{}, time.Time{}
	header.Format = tar.FormatGNU
	if date, ok := c.Value("mtime"); ok {
		if when, ok := command.ParseTime(date, time.Now(), command.Zone(c)); ok {
			header.ModTime = when
		}
	}
	if t.verbose > 0 {
		shown := *header
		if !strings.HasPrefix(name, "..") {
			shown.Name = strings.TrimSuffix(name, "/") + header.Name[len(strings.TrimSuffix(header.Name, "/")):]
		}
		t.show(&shown)
	}
	if err := w.WriteHeader(header); err != nil {
		return err
	}
	switch {
	case info.Mode().IsRegular():
		file, err := c.Open(full)
		if err != nil {
			t.fail("%s: Cannot open: %s", name, command.Text(err))
			_, err = io.CopyN(w, zeros{}, info.Size())
			return err
		}
		defer file.Close()
		n, err := io.Copy(w, io.LimitReader(file, info.Size()))
		if err == nil && n < info.Size() {
			t.fail("%s: File shrank by %d bytes; padding with zeros", name, info.Size()-n)
			_, err = io.CopyN(w, zeros{}, info.Size()-n)
		}
		return err
	case info.IsDir() && !c.Has("no-recursion"):
		entries, err := c.ReadDir(full)
		if err != nil {
			t.fail("%s: Cannot open: %s", name, command.Text(err))
			return nil
		}
		for _, e := range entries {
			if err := t.add(w, strings.TrimSuffix(name, "/")+"/"+e.Name()); err != nil {
				return err
			}
		}
	}
	return nil
}

type zeros struct{}

func (zeros) Read(data []byte) (int, error) {
	clear(data)
	return len(data), nil
}

// member returns the name of a file in an archive.
func (t *tarRun) member(name string) string {
	if t.c.Has("absolute-names") {
		return name
	}
	stripped := strings.TrimLeft(name, "/")
	if i := strings.LastIndex("/"+stripped, "/../"); i >= 0 {
		stripped = stripped[i+3:]
	}
	if prefix := name[:len(name)-len(stripped)]; prefix != "" && !t.stripped {
		if strings.Trim(prefix, "/") == "" {
			prefix = "/"
		}
		fmt.Fprintf(t.c.Stderr, "tar: Removing leading `%s' from member names\n", prefix)
		t.stripped = true
	}
	if stripped == "" {
		return "./"
	}
	return stripped
}

// show lists a member.
func (t *tarRun) show(h *tar.Header) {
	if t.verbose < 2 && !t.c.Has("list") || t.verbose == 0 {
		fmt.Fprintln(t.listing, h.Name)
		return
	}
	kind := "-"
	tail := ""
	switch h.Typeflag {
	case tar.TypeDir:
		kind = "d"
	case tar.TypeSymlink:
		kind, tail = "l", " -> "+h.Linkname
	case tar.TypeLink:
		kind, tail = "h", " link to "+h.Linkname
	}
	mode := fs.FileMode(h.Mode).Perm().String()[1:]
	owner, group := h.Uname, h.Gname
	if owner == "" || t.c.Has("numeric-owner") {
		owner = strconv.Itoa(h.Uid)
	}
	if group == "" || t.c.Has("numeric-owner") {
		group = strconv.Itoa(h.Gid)
	}
	size := strconv.FormatInt(h.Size, 10)
	who := owner + "/" + group
	t.width = max(t.width, len(who)+1+len(size))
	fmt.Fprintf(t.listing, "%s%s %s%*s %s %s%s\n", kind, mode, who, t.width-len(who), size,
		h.ModTime.In(command.Zone(t.c)).Format("2006-01-02 15:04"), h.Name, tail)
}

// read lists or extracts an archive.
func (t *tarRun) read(outer command.Files, names []string, extract bool) int {
	c := t.c
	var in io.Reader = c.Stdin
	if t.archive != "-" {
		file, err := outer.Open(t.archive)
		if err != nil {
			return t.open(t.archive, err)
		}
		defer file.Close()
		in = file
	}
	buffered := bufio.NewReaderSize(in, 64<<10)
	f := sniff(buffered)
	if wanted := t.compression(); f == nil && wanted != nil && !c.Has("auto-compress") {
		if _, err := buffered.Peek(1); err == nil {
			fmt.Fprintf(c.Stderr, "\n%s: stdin: not in %s format\ntar: Child returned status 1\n"+
				"tar: Error is not recoverable: exiting now\n", wanted.name, wanted.name)
			return 2
		}
	}
	var r io.Reader = buffered
	if f != nil {
		var err error
		if r, err = f.reader(buffered); err != nil {
			fmt.Fprintf(c.Stderr, "%s: %s\ntar: Error is not recoverable: exiting now\n", f.name, command.Text(err))
			return 2
		}
		if closer, ok := r.(io.Closer); ok {
			defer closer.Close()
		}
	}
	out := c.Output()
	t.listing = out
	if c.Has("to-stdout") {
		t.listing = c.Stderr
	}
	x := &extraction{tarRun: t, out: out, found: make([]bool, len(names)), names: names, times: map[string]time.Time{}}
	x.strip, _ = strconv.Atoi(func() string { s, _ := c.Value("strip-components"); return s }())
	counted := &command.Counter{R: r}
	archive := tar.NewReader(counted)
	first := true
	status := 0
	for {
		header, err := archive.Next()
		if err == io.EOF && (!first || counted.N > 0) {
			break
		}
		if err != nil {
			_ = out.Flush()
			switch {
			case err == io.EOF:
				fmt.Fprintln(c.Stderr, "tar: This does not look like a tar archive")
				t.failed = true
			case errors.Is(err, io.ErrUnexpectedEOF):
				fmt.Fprintln(c.Stderr, "tar: Unexpected EOF in archive\ntar: Error is not recoverable: exiting now")
				status = 2
			case first:
				fmt.Fprintln(c.Stderr, "tar: This does not look like a tar archive\ntar: Skipping to next header")
				t.failed = true
			default:
				fmt.Fprintf(c.Stderr, "tar: %s\ntar: Error is not recoverable: exiting now\n",
					strings.TrimPrefix(err.Error(), "archive/tar: "))
				status = 2
			}
			break
		}
		first = false
		if err := c.Context().Err(); err != nil {
			return 143
		}
		if !x.member(header, archive, extract) {
			status = 2
			break
		}
	}
	if extract {
		x.finish()
	}
	for i, found := range x.found {
		if !found {
			_ = out.Flush()
			t.fail("%s: Not found in archive", names[i])
		}
	}
	if out.Flush() != nil {
		return 2
	}
	return status
}

// An extraction is a use of an archive that is there.
type extraction struct {
	*tarRun
	out   *bufio.Writer
	names []string
	found []bool
	strip int
	links []*tar.Header // made at the end, so that nothing is written through them
	times map[string]time.Time
}

// fail says what went wrong, after what has been listed.
func (x *extraction) fail(format string, args ...any) {
	_ = x.out.Flush()
	x.tarRun.fail(format, args...)
}

// wanted says whether a member is among those that are asked for.
func (x *extraction) wanted(name string) bool {
	if len(x.names) == 0 {
		return true
	}
	ok := false
	name = strings.TrimSuffix(name, "/")
	for i, n := range x.names {
		n = strings.TrimSuffix(n, "/")
		if n == name || strings.HasPrefix(name, n+"/") || x.c.Has("wildcards") && wildcard(n, name) {
			x.found[i], ok = true, true
		}
	}
	return ok
}

// member lists or extracts a member. It returns false if nothing more can be done.
func (x *extraction) member(h *tar.Header, r io.Reader, extract bool) bool {
	c := x.c
	if h.Typeflag == tar.TypeXGlobalHeader || !x.wanted(h.Name) || x.excluded(strings.TrimSuffix(h.Name, "/")) {
		return true
	}
	if !extract {
		if x.verbose > 0 {
			x.show(h)
		} else {
			fmt.Fprintln(x.out, h.Name)
		}
		return true
	}
	name := h.Name
	for range x.strip {
		_, rest, ok := strings.Cut(strings.TrimLeft(name, "/"), "/")
		if !ok || rest == "" {
			return true
		}
		name = rest
	}
	for part := range strings.SplitSeq(name, "/") {
		if part == ".." && !c.Has("absolute-names") {
			_ = x.out.Flush()
			x.tarRun.member(name)
			x.fail("%s: Member name contains '..'", name)
			return true
		}
	}
	name = x.relative(name)
	if x.verbose > 0 {
		x.show(h)
	}
	if c.Has("to-stdout") {
		if h.Typeflag == tar.TypeReg {
			if _, err := io.Copy(x.out, r); err != nil {
				_ = x.out.Flush()
				return x.broken(err)
			}
		}
		return true
	}
	full := x.at(name)
	if info, err := c.Lstat(full); err == nil && h.Typeflag != tar.TypeDir {
		switch {
		case c.Has("skip-old-files"):
			return true
		case c.Has("keep-old-files"):
			x.fail("%s: Cannot open: File exists", name)
			return true
		case info.IsDir():
			if err := c.Rmdir(full); err != nil {
				x.fail("%s: Cannot open: File exists", name)
				return true
			}
		case info.Mode()&fs.ModeSymlink != 0 || h.Typeflag != tar.TypeReg:
			_ = c.Unlink(full)
		}
	}
	switch h.Typeflag {
	case tar.TypeDir:
		if err := x.mkdirAll(full); err != nil {
			x.fail("%s: Cannot mkdir: %s", name, command.Text(err))
			return true
		}
		x.times[full] = h.ModTime
		_ = c.Chmod(full, fs.FileMode(h.Mode).Perm())
	case tar.TypeReg:
		return x.write(full, name, h, r)
	case tar.TypeSymlink, tar.TypeLink:
		link := *h
		link.Name = name
		x.links = append(x.links, &link)
	default:
		x.fail("%s: Cannot mknod: Operation not permitted", name)
	}
	return true
}

// relative is the name of a member without the root.
func (x *extraction) relative(name string) string {
	if x.c.Has("absolute-names") {
		return name
	}
	stripped := strings.TrimLeft(name, "/")
	if stripped != name && !x.stripped {
		_ = x.out.Flush()
		fmt.Fprintln(x.c.Stderr, "tar: Removing leading `/' from member names")
		x.stripped = true
	}
	return stripped
}

// mkdirAll makes a directory and those above it. None of them may be a link that leads elsewhere.
func (x *extraction) mkdirAll(full string) error {
	full = strings.TrimSuffix(full, "/")
	if full == "" || full == "." {
		return nil
	}
	info, err := x.c.Stat(full)
	if err == nil {
		if info.IsDir() {
			return nil
		}
		return &fs.PathError{Op: "mkdir", Path: full, Err: fs.ErrExist}
	}
	if parent := path.Dir(full); parent != full {
		if err := x.mkdirAll(parent); err != nil {
			return err
		}
	}
	return x.c.Mkdir(full, 0o777)
}

func (x *extraction) write(full, name string, h *tar.Header, r io.Reader) bool {
	c := x.c
	out, err := c.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fs.FileMode(h.Mode).Perm())
	if errors.Is(err, fs.ErrNotExist) {
		if err = x.mkdirAll(path.Dir(full)); err == nil {
			out, err = c.OpenFile(full, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, fs.FileMode(h.Mode).Perm())
		}
	}
	if err != nil {
		x.fail("%s: Cannot open: %s", name, command.Text(err))
		return true
	}
	_, err = io.Copy(out, r)
	if closing := out.Close(); err == nil {
		err = closing
	}
	if err != nil {
		_ = x.out.Flush()
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return x.broken(err)
		}
		x.fail("%s: Cannot write: %s", name, command.Text(err))
		return true
	}
	if !c.Has("touch") {
		_ = c.Chtimes(full, h.ModTime, h.ModTime)
	}
	_ = c.Chmod(full, fs.FileMode(h.Mode).Perm())
	return true
}

func (x *extraction) broken(err error) bool {
	if errors.Is(err, io.ErrUnexpectedEOF) {
		fmt.Fprintln(x.c.Stderr, "tar: Unexpected EOF in archive\ntar: Error is not recoverable: exiting now")
	} else {
		fmt.Fprintf(x.c.Stderr, "tar: %s\ntar: Error is not recoverable: exiting now\n", command.Text(err))
	}
	return false
}

// finish makes links, and sets the times of directories, in which nothing is made any more.
func (x *extraction) finish() {
	for _, link := range x.links {
		full := x.at(link.Name)
		err := x.mkdirAll(path.Dir(full))
		kind := "symlink"
		if err == nil && link.Typeflag == tar.TypeSymlink {
			err = x.c.Symlink(link.Linkname, full)
		} else if err == nil {
			kind = "hard link"
			target := strings.TrimLeft(link.Linkname, "/")
			for part := range strings.SplitSeq(target, "/") {
				if part == ".." {
					err = fs.ErrPermission
				}
			}
			if err == nil {
				err = x.c.Link(x.at(target), full)
			}
		}
		if err != nil {
			x.fail("%s: Cannot create %s to '%s': %s", link.Name, kind, link.Linkname, command.Text(err))
		}
	}
	if x.c.Has("touch") {
		return
	}
	dirs := make([]string, 0, len(x.times))
	for dir := range x.times {
		dirs = append(dirs, dir)
	}
	sort.Sort(sort.Reverse(sort.StringSlice(dirs)))
	for _, dir := range dirs {
		_ = x.c.Chtimes(dir, x.times[dir], x.times[dir])
	}
}
