package bytes

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"regexp"
	"strconv"
	"strings"

	"golang.org/x/crypto/blake2b"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// A digest is a function of checksums.
type digest struct {
	tag  string // in checksums of BSD's style
	bits int    // of the longest one
	make func(bits int) hash.Hash
}

func fixed(tag string, bits int, newHash func() hash.Hash) *digest {
	return &digest{tag, bits, func(int) hash.Hash { return newHash() }}
}

// digests are those that cksum has by their names.
var digests = map[string]*digest{
	"md5":    fixed("MD5", 128, md5.New),
	"sha1":   fixed("SHA1", 160, sha1.New),
	"sha224": fixed("SHA224", 224, sha256.New224),
	"sha256": fixed("SHA256", 256, sha256.New),
	"sha384": fixed("SHA384", 384, sha512.New384),
	"sha512": fixed("SHA512", 512, sha512.New),
	"blake2b": {"BLAKE2b", 512, func(bits int) hash.Hash {
		h, _ := blake2b.New(bits/8, nil)
		return h
	}},
}

var (
	md5sum    = sumCommand("md5sum", "md5")
	sha1sum   = sumCommand("sha1sum", "sha1")
	sha224sum = sumCommand("sha224sum", "sha224")
	sha256sum = sumCommand("sha256sum", "sha256")
	sha384sum = sumCommand("sha384sum", "sha384")
	sha512sum = sumCommand("sha512sum", "sha512")
	b2sum     = sumCommand("b2sum", "blake2b")
)

var checkOptions = []command.Option{
	{Short: 'c', Long: "check", Help: "read checksums from the FILEs and check them"},
	{Long: "tag", Help: "create a BSD-style checksum"},
	{Short: 'z', Long: "zero", Help: "end each output line with NUL, not newline,\nand disable file name escaping"},
	{Long: "ignore-missing", Help: "don't fail or report status for missing files"},
	{Long: "quiet", Help: "don't print OK for each successfully verified file"},
	{Long: "status", Help: "don't output anything, status code shows success"},
	{Long: "strict", Help: "exit non-zero for improperly formatted checksum\n" +
		"lines"},
	{Short: 'w', Long: "warn", Help: "warn about improperly formatted checksum lines"},
}

var lengthOption = command.Option{
	Short: 'l', Long: "length", Arg: "BITS", Help: "digest length in bits; a multiple of 8, at most\n" +
		"that of blake2b, 512",
}

func sumCommand(name, algorithm string) *command.Command {
	options := []command.Option{
		{Short: 'b', Long: "binary", Help: "read in binary mode"},
		{Short: 't', Long: "text", Help: "read in text mode (default)"},
	}
	if algorithm == "blake2b" {
		options = append(options, lengthOption)
	}
	return &command.Command{
		Name:     name,
		Operands: "[OPTION]... [FILE]...",
		Summary: fmt.Sprintf("Print or check %s (%d-bit) checksums. With no FILE, or when it is -, read\n"+
			"standard input.", digests[algorithm].tag, digests[algorithm].bits),
		Options: append(options, checkOptions...),
		Run:     func(c *command.Context) int { return runSum(c, algorithm) },
	}
}

// A summer prints and checks checksums.
type summer struct {
	c      *command.Context
	digest *digest
	any    bool // lines with the tags of others are checked, too
	bits   int
	end    string
}

func runSum(c *command.Context, algorithm string) int {
	d := digests[algorithm]
	s := &summer{c: c, digest: d, bits: d.bits}
	status, ok := s.configure()
	if !ok {
		return status
	}
	if c.Has("check") {
		if c.Has("tag") {
			return c.Usage("the --tag option is meaningless when verifying checksums")
		}
		if c.Has("binary") || c.Has("text") {
			return c.Usage("the --binary and --text options are meaningless when verifying checksums")
		}
		return s.check()
	}
	if c.Has("tag") && c.Last("text", "binary") == "text" {
		return c.Usage("--tag does not support --text mode")
	}
	return s.print(c.Has("tag"), c.Last("text", "binary") == "binary")
}

// configure reads the options that all of these commands have.
func (s *summer) configure() (status int, ok bool) {
	c := s.c
	if value, given := c.Value("length"); given {
		n, err := strconv.ParseUint(value, 10, 31)
		switch {
		case err != nil:
			c.Errorf("invalid length: %s", command.QuoteText(value))
			return 1, false
		case n > 512:
			c.Errorf("invalid length: %s", command.QuoteText(value))
			c.Errorf("maximum digest length for %s is 512 bits", command.QuoteText("BLAKE2b"))
			return 1, false
		case n%8 != 0:
			c.Errorf("invalid length: %s", command.QuoteText(value))
			c.Errorf("length is not a multiple of 8")
			return 1, false
		case n > 0:
			s.bits = int(n)
		}
	}
	s.end = "\n"
	if c.Has("zero") {
		s.end = "\x00"
	}
	for _, name := range []string{"ignore-missing", "status", "warn", "quiet", "strict"} {
		if c.Has(name) && !c.Has("check") {
			return c.Usage("the --%s option is meaningful only when verifying checksums", name), false
		}
	}
	return 0, true
}

// sum returns the checksum of a file.
func sumOf(c *command.Context, name string, h hash.Hash) (string, error) {
	in, err := c.Input(name)
	if err != nil {
		return "", err
	}
	defer in.Close()
	if _, err := io.Copy(h, in); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// print prints the checksums of the operands.
func (s *summer) print(tag, binary bool) int {
	out, ok := s.c.Output(), true
	for _, name := range s.c.Inputs() {
		sum, err := sumOf(s.c, name, s.digest.make(s.bits))
		if err != nil {
			_ = out.Flush()
			s.c.FileError(name, err)
			ok = false
			continue
		}
		if s.end == "\n" && strings.ContainsAny(name, "\\\n\r") {
			name = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\r", `\r`).Replace(name)
			_ = out.WriteByte('\\')
		}
		mode := byte(' ')
		if binary {
			mode = '*'
		}
		switch {
		case tag && s.bits != s.digest.bits:
			fmt.Fprintf(out, "%s-%d (%s) = %s%s", s.digest.tag, s.bits, name, sum, s.end)
		case tag:
			fmt.Fprintf(out, "%s (%s) = %s%s", s.digest.tag, name, sum, s.end)
		default:
			fmt.Fprintf(out, "%s %c%s%s", sum, mode, name, s.end)
		}
	}
	return command.Status(out.Flush() == nil && ok)
}

var (
	tagged   = regexp.MustCompile(`^(\\?)[ \t]*([A-Za-z0-9]+)(?:-([0-9]+))? ?\((.*)\) ?= ?([0-9a-fA-F]+)$`)
	untagged = regexp.MustCompile(`^(\\?)[ \t]*([0-9a-fA-F]+) [ *]?(.*)$`)
)

// parse reads a line of checksums.
func (s *summer) parse(line string) (name, sum string, h hash.Hash, ok bool) {
	d, bits, escaped := s.digest, s.bits, ""
	if m := tagged.FindStringSubmatch(line); m != nil {
		d = nil
		for _, other := range digests {
			if other.tag == m[2] && (s.any || other == s.digest) {
				d = other
			}
		}
		if d == nil {
			return "", "", nil, false
		}
		bits = d.bits
		if n, err := strconv.Atoi(m[3]); err == nil && d.tag == "BLAKE2b" && n > 0 && n <= 512 && n%8 == 0 {
			bits = n
		} else if m[3] != "" {
			return "", "", nil, false
		}
		escaped, name, sum = m[1], m[4], m[5]
	} else if m := untagged.FindStringSubmatch(line); m != nil && d != nil {
		escaped, sum, name = m[1], m[2], m[3]
		if d.tag == "BLAKE2b" && !s.c.Has("length") && len(sum)%2 == 0 && len(sum) > 0 && len(sum) <= 128 {
			bits = len(sum) * 4
		}
	} else {
		return "", "", nil, false
	}
	if escaped != "" {
		name = strings.NewReplacer(`\\`, "\\", `\n`, "\n", `\r`, "\r").Replace(name)
	}
	return name, sum, d.make(bits), len(sum) == bits/4 && name != ""
}

// check checks the checksums in the operands.
func (s *summer) check() int {
	ok := true
	for _, name := range s.c.Inputs() {
		ok = s.checkFile(name) && ok
	}
	return command.Status(ok)
}

func (s *summer) checkFile(list string) bool {
	c := s.c
	in, err := c.Input(list)
	if err != nil {
		c.FileError(list, err)
		return false
	}
	defer in.Close()
	shown := list
	if list == "-" {
		shown = "standard input"
	}
	out := c.Output()
	number, good, malformed, wrong, unreadable, verified := 0, 0, 0, 0, 0, 0
	err = command.Lines(in, '\n', func(line []byte) bool {
		number++
		text := strings.TrimRight(string(line), "\r\n")
		if text == "" || text[0] == '#' {
			return true
		}
		name, sum, h, ok := s.parse(text)
		if !ok {
			malformed++
			if c.Has("warn") {
				_ = out.Flush()
				tag := "(null)"
				if s.digest != nil {
					tag = s.digest.tag
				}
				c.Errorf("%s: %d: improperly formatted %s checksum line", command.QuoteOdd(shown), number, tag)
			}
			return true
		}
		good++
		actual, err := sumOf(c, name, h)
		switch {
		case err != nil:
			if c.Has("ignore-missing") && command.Text(err) == "No such file or directory" {
				return true
			}
			unreadable++
			_ = out.Flush()
			c.FileError(name, err)
			if !c.Has("status") {
				fmt.Fprintf(out, "%s: FAILED open or read\n", escape(name))
			}
			return true
		case !strings.EqualFold(actual, sum):
			wrong++
			if !c.Has("status") {
				fmt.Fprintf(out, "%s: FAILED\n", escape(name))
			}
		default:
			verified++
			if !c.Has("status") && !c.Has("quiet") {
				fmt.Fprintf(out, "%s: OK\n", escape(name))
			}
		}
		return true
	})
	_ = out.Flush()
	if err != nil {
		c.Errorf("%s: read error", command.QuoteOdd(shown))
		return false
	}
	if good == 0 {
		c.Errorf("%s: no properly formatted checksum lines found", command.QuoteOdd(shown))
		return false
	}
	if !c.Has("status") {
		warn := func(n int, one, many string) {
			if n == 1 {
				c.Errorf("WARNING: 1 %s", one)
			} else if n > 1 {
				c.Errorf("WARNING: %d %s", n, many)
			}
		}
		warn(malformed, "line is improperly formatted", "lines are improperly formatted")
		warn(unreadable, "listed file could not be read", "listed files could not be read")
		warn(wrong, "computed checksum did NOT match", "computed checksums did NOT match")
		if c.Has("ignore-missing") && verified == 0 && wrong == 0 {
			c.Errorf("%s: no file was verified", command.QuoteOdd(shown))
		}
	}
	return wrong == 0 && unreadable == 0 && (malformed == 0 || !c.Has("strict")) &&
		(!c.Has("ignore-missing") || verified > 0)
}

// escape writes a name with a newline in one line.
func escape(name string) string {
	if !strings.Contains(name, "\n") {
		return name
	}
	return `\` + strings.NewReplacer("\\", `\\`, "\n", `\n`).Replace(name)
}
