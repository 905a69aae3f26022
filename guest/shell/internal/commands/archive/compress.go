package archive

import (
	"bufio"
	"compress/bzip2"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/ulikunitz/xz"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// A format is a way to compress.
type format struct {
	name, suffix string
	magic        string
	others       map[string]string // further suffixes, and what takes their place
	keep         bool              // files are kept unless --rm is given
	reader       func(io.Reader) (io.Reader, error)
	writer       func(io.Writer, int) (io.WriteCloser, error)
	foreign      string // what is said of other data, with the name
	unknown      string // what is said of other suffixes
}

// zstdMemory bounds what a decoder of zstd keeps.
const zstdMemory = 128 << 20

var (
	gzipFormat = &format{
		name: "gzip", suffix: ".gz", magic: "\x1f\x8b", others: map[string]string{".tgz": ".tar", ".taz": ".tar",
			".z": "", ".Z": ""},
		reader:  func(r io.Reader) (io.Reader, error) { return newMembers(r) },
		writer:  func(w io.Writer, level int) (io.WriteCloser, error) { return gzip.NewWriterLevel(w, level) },
		foreign: "\ngzip: %s: not in gzip format", unknown: "%s: unknown suffix -- ignored",
	}
	zstdFormat = &format{
		name: "zstd", suffix: ".zst", magic: "\x28\xb5\x2f\xfd", others: map[string]string{".tzst": ".tar"}, keep: true,
		reader: func(r io.Reader) (io.Reader, error) {
			d, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
				zstd.WithDecoderMaxMemory(zstdMemory), zstd.WithDecoderMaxWindow(zstdMemory))
			if err != nil {
				return nil, err
			}
			return d.IOReadCloser(), nil
		},
		writer: func(w io.Writer, level int) (io.WriteCloser, error) {
			return zstd.NewWriter(w, zstd.WithEncoderConcurrency(1),
				zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)),
				zstd.WithWindowSize(1<<20))
		},
		foreign: "zstd: %s: unsupported format ",
		unknown: "%s: unknown suffix (.zst/.tzst expected). Can't derive the output file name. " +
			"Specify it with -o dstFileName. Ignoring.",
	}
	xzFormat = &format{
		name: "xz", suffix: ".xz", magic: "\xfd7zXZ\x00", others: map[string]string{".txz": ".tar"},
		reader: func(r io.Reader) (io.Reader, error) { return xz.ReaderConfig{DictCap: 64 << 10}.NewReader(r) },
		writer: func(w io.Writer, level int) (io.WriteCloser, error) {
			// A larger dictionary takes more memory than it is worth.
			return xz.WriterConfig{DictCap: 1 << min(20, 16+max(level, 1)), CheckSum: xz.CRC64}.NewWriter(w)
		},
		foreign: "xz: %s: File format not recognized", unknown: "%s: Filename has an unknown suffix, skipping",
	}
	bzip2Format = &format{
		name: "bzip2", suffix: ".bz2", magic: "BZh", others: map[string]string{".tbz2": ".tar", ".tbz": ".tar",
			".bz": ""},
		reader:  func(r io.Reader) (io.Reader, error) { return bzip2.NewReader(r), nil },
		writer:  func(w io.Writer, level int) (io.WriteCloser, error) { return newBzip2Writer(w, level), nil },
		foreign: "bzip2: %s is not a bzip2 file.", unknown: "Can't guess original name for %s -- using %[1]s.out",
	}
	allFormats = []*format{gzipFormat, zstdFormat, xzFormat, bzip2Format}
)

// sniff returns the format of data, or nil.
func sniff(r *bufio.Reader) *format {
	head, _ := r.Peek(6)
	for _, f := range allFormats {
		if strings.HasPrefix(string(head), f.magic) {
			return f
		}
	}
	return nil
}

// decompressor returns a command of a format. Names that do not end with the format's decompress by default.
func decompressor(f *format, name string, toStdout bool) *command.Command {
	options := []command.Option{
		{Short: 'c', Long: "stdout", Help: "write on standard output, keep original files unchanged"},
		{Long: "to-stdout"},
		{Short: 'd', Long: "decompress", Help: "decompress"},
		{Long: "uncompress"},
		{Short: 'f', Long: "force", Help: "overwrite files"},
		{Short: 'k', Long: "keep", Help: "keep (don't delete) input files"},
		{Short: 'q', Long: "quiet", Help: "suppress all warnings"},
		{Short: 't', Long: "test", Help: "test compressed file integrity"},
		{Short: 'v', Long: "verbose", Help: "verbose mode"},
	}
	for digit := byte('0'); digit <= '9'; digit++ {
		options = append(options, command.Option{Short: digit})
	}
	switch f {
	case gzipFormat:
		options = append(options, []command.Option{
			{Short: 'l', Long: "list", Help: "list compressed file contents"},
			{Short: 'n', Long: "no-name", Help: "do not save or restore the original name and timestamp"},
			{Short: 'N', Long: "name"},
			{Short: 'r', Long: "recursive", Help: "operate recursively on directories"},
			{Short: 'S', Long: "suffix", Arg: "SUF", Help: "use suffix SUF on compressed files"},
			{Long: "fast", Help: "compress faster"},
			{Long: "best", Help: "compress better"},
			{Long: "rsyncable"},
		}...)
	case zstdFormat:
		options = append(options, []command.Option{
			{Short: 'o', Arg: "FILE", Help: "write to FILE"},
			{Long: "rm", Help: "remove input files"},
			{Short: 'T', Long: "threads", Arg: "N"},
			{Short: 'z', Long: "compress"},
			{Long: "ultra"}, {Long: "long", Arg: "N", Optional: true}, {Long: "no-progress"}, {Long: "fast", Arg: "N",
				Optional: true},
		}...)
	case xzFormat:
		options = append(options, command.Option{Short: 'z', Long: "compress"}, command.Option{Short: 'T',
			Long: "threads", Arg: "N"},
			command.Option{Short: 'e', Long: "extreme"})
	default:
		options = append(options, command.Option{Short: 'z', Long: "compress"}, command.Option{Short: 's',
			Long: "small"})
	}
	return &command.Command{
		Name: name, Operands: "[OPTION]... [FILE]...",
		Summary: "Compress or decompress FILEs. With no FILE, or when it is -, read standard input. -1 to -9 " +
			"choose a level.",
		Options: options,
		Run: func(c *command.Context) int {
			r := &compression{format: f, c: c, stdout: toStdout || c.Has("stdout") || c.Has("to-stdout")}
			return r.run(name)
		},
	}
}

// A compression is one use of a command.
type compression struct {
	*format
	c                                     *command.Context
	decompress, stdout, force, keep, test bool
	quiet, verbose, list                  bool
	level                                 int
	status                                int
	listed                                bool
}

func (z *compression) run(name string) int {
	c := z.c
	z.decompress = name != z.name || c.Has("decompress") || c.Has("uncompress")
	z.force, z.quiet, z.verbose = c.Has("force"), c.Has("quiet"), c.Has("verbose")
	z.test, z.list = c.Has("test"), c.Has("list")
	z.keep = c.Has("keep") || z.format.keep && !c.Has("rm")
	if suffix, ok := c.Value("suffix"); ok {
		f := *z.format
		f.suffix = suffix
		z.format = &f
	}
	z.level = 6
	if z.format == zstdFormat {
		z.level = 3
	}
	for i, g := range c.Given {
		switch {
		case g.Name == "fast" && z.name == "gzip":
			z.level = 1
		case g.Name == "best":
			z.level = 9
		case len(g.Name) == 1 && g.Name[0] >= '0' && g.Name[0] <= '9':
			z.level = int(g.Name[0] - '0')
			// zstd has levels of two digits.
			if before := i - 1; z.name == "zstd" && before >= 0 && c.Given[before].Name == "1" {
				z.level += 10
			}
		}
	}
	if z.name == "gzip" {
		z.level = max(1, z.level)
	}
	for _, name := range c.Inputs() {
		z.file(name)
	}
	return z.status
}

func (z *compression) fail(status int, format string, args ...any) {
	if !z.quiet || status == 1 {
		fmt.Fprintf(z.c.Stderr, z.c.Name+": "+format+"\n", args...)
	}
	if z.status != 1 {
		z.status = status
	}
}

func (z *compression) missing(name string, err error) {
	text := command.Text(err)
	switch z.name {
	case "zstd":
		z.fail(1, "can't stat %s : %s -- ignored ", name, text)
	case "bzip2":
		z.fail(1, "Can't open input file %s: %s.", name, text)
	default:
		z.fail(1, "%s: %s", name, text)
	}
}

func (z *compression) file(name string) {
	c := z.c
	if name == "-" {
		if z.list {
			z.listing("stdout", c.Stdin)
			return
		}
		z.stream(c.Stdin, "stdin")
		return
	}
	_, err := c.Stat(name)
	if err != nil && z.decompress && z.name == "gzip" {
		// The suffix may be left out.
		if found, e := c.Stat(name + z.suffix); e == nil && !found.IsDir() {
			name, err = name+z.suffix, nil
		}
	}
	if err != nil {
		z.missing(name, err)
		return
	}
	info, err := c.Stat(name)
	if err != nil {
		z.missing(name, err)
		return
	}
	if info.IsDir() {
		if !c.Has("recursive") {
			z.fail(2, "%s is a directory -- ignored", name)
			return
		}
		entries, err := c.ReadDir(name)
		if err != nil {
			z.missing(name, err)
			return
		}
		for _, e := range entries {
			z.file(strings.TrimRight(name, "/") + "/" + e.Name())
		}
		return
	}
	in, err := c.Open(name)
	if err != nil {
		z.missing(name, err)
		return
	}
	defer in.Close()
	target, hasTarget := "", false
	if z.name == "zstd" {
		target, hasTarget = c.Value("o")
	}
	switch {
	case z.list:
		z.listing(name, in)
		return
	case z.test || z.stdout && !hasTarget:
		z.stream(in, name)
		return
	}
	if !hasTarget {
		var ok bool
		if target, ok = z.target(name); !ok {
			return
		}
	}
	if target == "-" {
		z.stream(in, name)
		return
	}
	if _, err := c.Lstat(target); err == nil && !z.force {
		switch z.name {
		case "gzip":
			fmt.Fprintf(c.Stderr, "gzip: %s already exists;\tnot overwritten\n", target)
			if z.status == 0 {
				z.status = 2
			}
		case "xz":
			z.fail(1, "%s: File exists", target)
		case "bzip2":
			z.fail(1, "Output file %s already exists.", target)
		default:
			z.fail(1, "%s already exists; not overwritten  ", target)
		}
		return
	}
	out, err := c.OpenFile(target, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, info.Mode().Perm())
	if err != nil {
		z.missing(target, err)
		return
	}
	done := false
	defer func() {
		if !done {
			_ = out.Close()
			_ = c.Unlink(target)
		}
	}()
	written, read := &command.Counter{W: out}, &command.Counter{R: in}
	if !z.copy(written, read, name) {
		return
	}
	if err := out.Close(); err != nil {
		z.missing(target, err)
		return
	}
	done = true
	_ = c.Chtimes(target, info.ModTime(), info.ModTime())
	if z.verbose && z.name == "gzip" {
		whole, part := read.N, written.N
		if z.decompress {
			whole, part = part, whole
		}
		what := "replaced with"
		if z.keep {
			what = "created"
		}
		fmt.Fprintf(c.Stderr, "%s:\t%s -- %s %s\n", name, ratio(whole, part, 18), what, target)
	}
	if !z.keep {
		_ = in.Close()
		_ = c.Unlink(name)
	}
}

// ratio is how much smaller data has become.
func ratio(whole, part int64, overhead int64) string {
	if whole == 0 {
		return "  0.0%"
	}
	return fmt.Sprintf("%5.1f%%", math.Trunc(1000*(1-float64(part-overhead)/float64(whole))+0.5)/10)
}

// target returns the name of the file that is made.
func (z *compression) target(name string) (string, bool) {
	base, known := strings.CutSuffix(name, z.suffix)
	if !known {
		for suffix, instead := range z.others {
			if b, ok := strings.CutSuffix(name, suffix); ok {
				base, known = b+instead, true
			}
		}
	}
	switch {
	case z.decompress && known && base != "" && !strings.HasSuffix(base, "/"):
		return base, true
	case z.decompress && z.name == "bzip2":
		fmt.Fprintf(z.c.Stderr, "bzip2: "+z.unknown+"\n", name)
		return name + ".out", true
	case z.decompress:
		z.fail(map[string]int{"gzip": 2, "xz": 2}[z.name]|map[string]int{"zstd": 1}[z.name], z.unknown, name)
		return "", false
	case known && !z.force:
		if z.name == "gzip" {
			z.fail(0, "%s already has %s suffix -- unchanged", name, z.suffix)
			return "", false
		}
	}
	return name + z.suffix, true
}

// stream does what is to be done to standard output, or to nothing if data is tested.
func (z *compression) stream(in io.Reader, name string) {
	var out io.Writer = z.c.Stdout
	if z.test {
		out = io.Discard
	}
	if z.copy(out, in, name) && z.test && z.verbose {
		fmt.Fprintf(z.c.Stderr, "%s:\t OK\n", name)
	}
}

// copy compresses or decompresses, and returns whether it could.
func (z *compression) copy(out io.Writer, in io.Reader, name string) bool {
	buffered := bufio.NewWriterSize(out, 32<<10)
	shown := name
	if name == "stdin" && z.name != "gzip" {
		shown = "(stdin)"
	}
	if !z.decompress && !z.test {
		w, err := z.writer(buffered, z.level)
		if err == nil {
			if header, ok := w.(*gzip.Writer); ok && name != "stdin" && !z.c.Has("no-name") {
				if info, e := z.c.Stat(name); e == nil {
					header.Name, header.ModTime = name[strings.LastIndexByte(name, '/')+1:], info.ModTime()
				}
			}
			if _, err = io.Copy(w, in); err == nil {
				err = w.Close()
			}
		}
		if err == nil {
			err = buffered.Flush()
		}
		if err != nil {
			z.fail(1, "%s: %s", shown, command.Text(err))
		}
		return err == nil
	}
	r := bufio.NewReaderSize(in, 32<<10)
	head, _ := r.Peek(len(z.magic))
	if len(head) == 0 {
		if z.name == "gzip" {
			z.unexpectedEnd(shown)
			return false
		}
		return z.name == "zstd" || z.name == "xz"
	}
	if string(head) != z.magic {
		if z.force && z.stdout {
			_, err := io.Copy(out, r)
			return err == nil
		}
		fmt.Fprintf(z.c.Stderr, z.foreign+"\n", shown)
		z.status = max(z.status, 1)
		if z.name == "bzip2" {
			z.status = 2
		}
		return false
	}
	decoder, err := z.reader(r)
	if err == nil {
		_, err = io.Copy(buffered, decoder)
		if closer, ok := decoder.(io.Closer); ok {
			_ = closer.Close()
		}
	}
	if flushing := buffered.Flush(); err == nil {
		err = flushing
	}
	switch {
	case err == nil:
		return true
	case errors.Is(err, io.ErrUnexpectedEOF):
		z.unexpectedEnd(shown)
	case errors.Is(err, errGarbage):
		if !z.quiet {
			fmt.Fprintf(z.c.Stderr, "\ngzip: %s: decompression OK, trailing garbage ignored\n", shown)
		}
		if z.status == 0 {
			z.status = 2
		}
		return true
	case z.name == "gzip" && errors.Is(err, gzip.ErrChecksum):
		fmt.Fprintf(z.c.Stderr, "\ngzip: %s: invalid compressed data--crc error\n", shown)
		z.status = 1
	case z.name == "gzip" && strings.Contains(err.Error(), "flate"):
		fmt.Fprintf(z.c.Stderr, "\ngzip: %s: invalid compressed data--format violated\n", shown)
		z.status = 1
	default:
		z.fail(1, "%s: %s", shown, command.Text(err))
	}
	return false
}

func (z *compression) unexpectedEnd(name string) {
	switch z.name {
	case "gzip":
		fmt.Fprintf(z.c.Stderr, "\ngzip: %s: unexpected end of file\n", name)
	case "xz":
		fmt.Fprintf(z.c.Stderr, "xz: %s: Unexpected end of input\n", name)
	default:
		fmt.Fprintf(z.c.Stderr, "%s: %s: unexpected end of file\n", z.c.Name, name)
	}
	z.status = 1
}

// listing shows how large the data of a file is.
func (z *compression) listing(name string, in io.Reader) {
	data := &command.Counter{R: in}
	r, err := gzip.NewReader(data)
	if err != nil {
		fmt.Fprintf(z.c.Stderr, "\ngzip: %s: not in gzip format\n", name)
		z.status = 1
		return
	}
	whole, err := io.Copy(io.Discard, r)
	if err != nil {
		z.unexpectedEnd(name)
		return
	}
	if !z.listed {
		fmt.Fprintln(z.c.Stdout, "         compressed        uncompressed  ratio uncompressed_name")
		z.listed = true
	}
	base, _ := strings.CutSuffix(name, z.suffix)
	overhead := int64(18 + len(r.Name))
	if r.Name != "" {
		overhead++
	}
	fmt.Fprintf(z.c.Stdout, "%19d %19d %s %s\n", data.N, whole, ratio(whole, data.N, overhead), base)
}

// errGarbage is the error of data behind the last member of a file of gzip.
var errGarbage = errors.New("trailing garbage")

// members reads a file of gzip, which has one member behind the other.
type members struct {
	*gzip.Reader
	in *bufio.Reader
}

func newMembers(r io.Reader) (io.Reader, error) {
	in := bufio.NewReader(r)
	z, err := gzip.NewReader(in)
	if err != nil {
		return nil, err
	}
	z.Multistream(false)
	return &members{z, in}, nil
}

func (m *members) Read(data []byte) (int, error) {
	n, err := m.Reader.Read(data)
	if err != io.EOF {
		return n, err
	}
	head, _ := m.in.Peek(2)
	switch {
	case len(head) == 0:
		return n, io.EOF
	case head[0] == 0:
		// Tapes and files are padded by zeros.
		for {
			c, err := m.in.ReadByte()
			if err == io.EOF {
				return n, io.EOF
			}
			if err != nil || c != 0 {
				return n, errGarbage
			}
		}
	case string(head) != "\x1f\x8b":
		return n, errGarbage
	}
	if err := m.Reader.Reset(m.in); err != nil {
		return n, err
	}
	m.Reader.Multistream(false)
	return n, nil
}
