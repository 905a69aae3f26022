package bytes

import (
	"bufio"
	"fmt"
	"io"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var cksum = &command.Command{
	Name:     "cksum",
	Operands: "[OPTION]... [FILE]...",
	Summary: "Print or verify checksums. By default use the 32 bit CRC algorithm. With no\n" +
		"FILE, or when it is -, read standard input.",
	Options: append([]command.Option{
		{Short: 'a', Long: "algorithm", Arg: "TYPE", Help: "select the digest type to use: sysv, bsd, crc,\n" +
			"md5, sha1, sha224, sha256, sha384, sha512 or\n" +
			"blake2b"},
		{Long: "untagged", Help: "create a reversed style checksum, without digest\n" +
			"type"},
		lengthOption,
	}, checkOptions...),
	Notes: "The algorithm sm3 is not there.",
	Run:   runCksum,
}

var sum = &command.Command{
	Name:     "sum",
	Operands: "[OPTION]... [FILE]...",
	Summary: "Print or check BSD (16-bit) checksums. With no FILE, or when it is -, read\n" +
		"standard input.",
	Options: []command.Option{
		{Short: 'r', Help: "use BSD sum algorithm (the default), use 1K blocks"},
		{Short: 's', Long: "sysv", Help: "use System V sum algorithm, use 512 bytes blocks"},
	},
	Run: func(c *command.Context) int {
		if c.Last("r", "sysv") == "sysv" {
			return printOld(c, "sysv")
		}
		return printOld(c, "bsd")
	},
}

func runCksum(c *command.Context) int {
	algorithm, given := c.Value("algorithm")
	if !given {
		algorithm = "crc"
	}
	d, old := digests[algorithm], algorithm == "crc" || algorithm == "bsd" || algorithm == "sysv"
	if d == nil && !old {
		status := c.Usage("invalid argument %s for %s", command.QuoteText(algorithm), command.QuoteText("--algorithm"))
		return status
	}
	if c.Has("length") && algorithm != "blake2b" {
		return c.Usage("--length is only supported with --algorithm=blake2b")
	}
	s := &summer{c: c, digest: d, any: !given}
	if d != nil {
		s.bits = d.bits
	}
	if status, ok := s.configure(); !ok {
		return status
	}
	switch {
	case c.Has("check") && old && given:
		c.Errorf("--check is not supported with --algorithm={bsd,sysv,crc}")
		return 1
	case c.Has("check") && c.Has("tag"):
		return c.Usage("the --tag option is meaningless when verifying checksums")
	case c.Has("check"):
		return s.check()
	case old:
		return printOld(c, algorithm)
	}
	return s.print(c.Last("tag", "untagged") != "untagged", false)
}

// printOld prints checksums that are numbers.
func printOld(c *command.Context, algorithm string) int {
	out, ok := c.Output(), true
	end := "\n"
	if c.Has("zero") {
		end = "\x00"
	}
	for _, name := range c.Inputs() {
		in, err := c.Input(name)
		if err == nil {
			var checksum uint32
			var size int64
			checksum, size, err = oldSum(in, algorithm)
			_ = in.Close()
			if err == nil {
				switch algorithm {
				case "bsd":
					fmt.Fprintf(out, "%05d %5d", checksum, (size+1023)/1024)
				case "sysv":
					fmt.Fprintf(out, "%d %d", checksum, (size+511)/512)
				default:
					fmt.Fprintf(out, "%d %d", checksum, size)
				}
				if len(c.Args) > 0 {
					fmt.Fprintf(out, " %s", name)
				}
				_, _ = out.WriteString(end)
			}
		}
		if err != nil {
			_ = out.Flush()
			c.FileError(name, err)
			ok = false
		}
	}
	return command.Status(out.Flush() == nil && ok)
}

func oldSum(in io.Reader, algorithm string) (checksum uint32, size int64, err error) {
	r := bufio.NewReaderSize(in, 32<<10)
	for {
		b, err := r.ReadByte()
		if err == io.EOF {
			break
		}
		if err != nil {
			return 0, 0, err
		}
		size++
		switch algorithm {
		case "bsd":
			checksum = (checksum>>1 + checksum&1<<15 + uint32(b)) & 0xffff
		case "sysv":
			checksum += uint32(b)
		default:
			checksum = crc(checksum, b)
		}
	}
	switch algorithm {
	case "sysv":
		checksum = checksum&0xffff + checksum>>16
		checksum = checksum&0xffff + checksum>>16
	case "crc":
		for n := size; n > 0; n >>= 8 {
			checksum = crc(checksum, byte(n))
		}
		checksum = ^checksum
	}
	return checksum, size, nil
}

// crcTable is that of POSIX's cksum, whose bits are the other way round than those of hash/crc32.
var crcTable = func() (table [256]uint32) {
	for i := range table {
		n := uint32(i) << 24
		for range 8 {
			high := n >> 31
			n <<= 1
			if high != 0 {
				n ^= 0x04c11db7
			}
		}
		table[i] = n
	}
	return table
}()

func crc(sum uint32, b byte) uint32 { return sum<<8 ^ crcTable[byte(sum>>24)^b] }
