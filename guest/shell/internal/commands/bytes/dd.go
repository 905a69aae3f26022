package bytes

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

var dd = &command.Command{
	Name:     "dd",
	Operands: "[OPERAND]...",
	Summary:  "Copy a file, converting and formatting according to the operands.",
	Notes: "  bs=BYTES        read and write up to BYTES bytes at a time (default: 512)\n" +
		"  cbs=BYTES       convert BYTES bytes at a time\n" +
		"  conv=CONVS      block unblock lcase ucase swab sync excl nocreat notrunc\n" +
		"                  (noerror sparse fsync fdatasync are ignored)\n" +
		"  count=N         copy only N input blocks\n" +
		"  ibs=BYTES       read up to BYTES bytes at a time (default: 512)\n" +
		"  if=FILE         read from FILE instead of stdin\n" +
		"  iflag=FLAGS     count_bytes skip_bytes fullblock (others are ignored)\n" +
		"  obs=BYTES       write BYTES bytes at a time (default: 512)\n" +
		"  of=FILE         write to FILE instead of stdout\n" +
		"  oflag=FLAGS     append seek_bytes (others are ignored)\n" +
		"  seek=N          skip N obs-sized output blocks\n" +
		"  skip=N          skip N ibs-sized input blocks\n" +
		"  status=LEVEL    none, noxfer or progress\n\n" +
		"N and BYTES may be followed by: c=1, w=2, b=512, kB=1000, K=1024,\n" +
		"MB=1000*1000, M=1024*1024 and so on.\n" +
		"If N ends in 'B', it counts bytes not blocks. EBCDIC is not there.",
	Run: runDd,
}

// A copier copies blocks.
type copier struct {
	c                                          *command.Context
	in, out                                    string // names of files; empty means the streams
	ibs, obs, cbs                              int64
	skip, seek, count                          int64
	skipBytes, seekBytes, inBytes              bool // skip, seek and count are bytes
	fullBlock                                  bool
	conv                                       []string
	oneSize                                    bool // bs was given: blocks are written as they are read
	append                                     bool
	status                                     string
	wholeIn, partIn, wholeOut, partOut, copied int64
	held                                       []byte // a record of cbs bytes that was begun
	pendingOut                                 []byte // what is not yet a whole block
	to                                         io.Writer
}

var (
	ddConversions = []string{"block", "unblock", "lcase", "ucase", "swab", "sync", "excl", "nocreat", "notrunc",
		"noerror",
		"sparse", "fsync", "fdatasync"}
	ddFlags = []string{"append", "direct", "directory", "dsync", "sync", "fullblock", "nonblock", "noatime", "nocache",
		"noctty", "nofollow", "count_bytes", "skip_bytes", "seek_bytes"}
)

// mostBlock is how large a block can be.
const mostBlock = 1 << 28

func runDd(c *command.Context) int {
	d := &copier{c: c, ibs: 512, obs: 512, count: -1}
	for _, arg := range c.Args {
		if status := d.operand(arg); status != 0 {
			return status
		}
	}
	for _, pair := range [][2]string{{"lcase", "ucase"}, {"block", "unblock"}, {"excl", "nocreat"}} {
		if slices.Contains(d.conv, pair[0]) && slices.Contains(d.conv, pair[1]) {
			c.Errorf("cannot combine %s and %s", pair[0], pair[1])
			return 1
		}
	}
	for _, n := range []int64{d.ibs, d.obs, d.cbs} {
		if n > mostBlock {
			c.Errorf("memory exhausted by input buffer of size %d bytes (%s)", n, scaled(float64(n), 1024, "iB"))
			return 1
		}
	}
	return d.run()
}

// operand reads an operand.
func (d *copier) operand(arg string) int {
	c := d.c
	name, value, ok := strings.Cut(arg, "=")
	number := func() (n int64, inBytes bool, status int) {
		n, err := ddNumber(value)
		if err != nil {
			reason := ""
			if err == command.ErrTooLarge {
				reason = ": " + err.Error()
			}
			c.Errorf("invalid number: %s%s", command.QuoteText(value), reason)
			return 0, false, 1
		}
		return n, strings.HasSuffix(value, "B"), 0
	}
	var status int
	switch {
	case !ok:
		return c.Usage("unrecognized operand %s", command.QuoteText(arg))
	case name == "if":
		d.in = value
	case name == "of":
		d.out = value
	case name == "bs" || name == "ibs" || name == "obs" || name == "cbs":
		n, _, status := number()
		if status == 0 && n == 0 {
			c.Errorf("invalid number: %s", command.QuoteText(value))
			status = 1
		}
		switch name {
		case "bs":
			d.ibs, d.obs, d.oneSize = n, n, true
		case "ibs":
			d.ibs = n
		case "obs":
			d.obs = n
		case "cbs":
			d.cbs = n
		}
		return status
	case name == "skip" || name == "iseek":
		var inBytes bool
		d.skip, inBytes, status = number()
		d.skipBytes = d.skipBytes || inBytes
	case name == "seek" || name == "oseek":
		var inBytes bool
		d.seek, inBytes, status = number()
		d.seekBytes = d.seekBytes || inBytes
	case name == "count":
		var inBytes bool
		d.count, inBytes, status = number()
		d.inBytes = d.inBytes || inBytes
	case name == "conv" || name == "iflag" || name == "oflag":
		known, what := ddFlags, "input flag"
		switch name {
		case "conv":
			known, what = ddConversions, "conversion"
		case "oflag":
			what = "output flag"
		}
		for _, word := range strings.Split(value, ",") {
			if !slices.Contains(known, word) {
				return c.Usage("invalid %s: %s", what, command.QuoteText(word))
			}
			switch {
			case name == "conv":
				d.conv = append(d.conv, word)
			case word == "count_bytes":
				d.inBytes = true
			case word == "skip_bytes":
				d.skipBytes = true
			case word == "seek_bytes":
				d.seekBytes = true
			case word == "fullblock":
				d.fullBlock = true
			case word == "append":
				d.append = true
			}
		}
	case name == "status":
		if !slices.Contains([]string{"none", "noxfer", "progress"}, value) {
			return c.Usage("invalid status level: %s", command.QuoteText(value))
		}
		d.status = value
	default:
		return c.Usage("unrecognized operand %s", command.QuoteText(arg))
	}
	return status
}

// ddNumber reads a number: factors with "x" between them, each with a suffix.
func ddNumber(s string) (int64, error) {
	product := int64(1)
	for _, factor := range strings.Split(s, "x") {
		times := int64(1)
		switch {
		case strings.HasSuffix(factor, "c"):
			factor = strings.TrimSuffix(factor, "c")
		case strings.HasSuffix(factor, "w"):
			factor, times = strings.TrimSuffix(factor, "w"), 2
		case len(factor) > 1 && strings.HasSuffix(factor, "B") && factor[len(factor)-2] <= '9':
			factor = strings.TrimSuffix(factor, "B")
		}
		if factor == "" || factor[0] < '0' || factor[0] > '9' {
			return 0, errors.New("not a number")
		}
		n, err := command.ParseSize(factor)
		if err != nil {
			return 0, err
		}
		if n > 0 && product > math.MaxInt64/2/n/times {
			return 0, command.ErrTooLarge
		}
		product *= n * times
	}
	return product, nil
}

func (d *copier) has(conv string) bool { return slices.Contains(d.conv, conv) }

func (d *copier) run() int {
	c := d.c
	start := time.Now()
	in, out := c.Stdin, c.Stdout
	if d.in != "" {
		file, err := c.Open(d.in)
		if err != nil {
			c.Errorf("failed to open %s: %s", command.Quote(d.in), command.Text(err))
			return 1
		}
		defer file.Close()
		in = file
	}
	offset := d.seek
	if !d.seekBytes {
		if offset > math.MaxInt64/d.obs {
			c.Errorf("offset too large: cannot truncate to a length of seek=%d (%d-byte) blocks", d.seek, d.obs)
			return 1
		}
		offset *= d.obs
	}
	if d.out != "" {
		file, status := d.create(offset)
		if status != 0 {
			return status
		}
		defer file.Close()
		out = file
	}
	if offset > 0 {
		if err := forward(out, offset); err != nil {
			c.Errorf("%s: cannot seek: %s", command.Quote(d.outName()), command.Text(err))
			d.report(start)
			return 1
		}
	}
	d.to = out
	status := d.skipInput(in)
	if status == 0 {
		status = d.copy(in)
	}
	d.report(start)
	return status
}

func (d *copier) inName() string {
	if d.in == "" {
		return "standard input"
	}
	return d.in
}

func (d *copier) outName() string {
	if d.out == "" {
		return "standard output"
	}
	return d.out
}

// create opens the output, of which what is before an offset is kept.
func (d *copier) create(offset int64) (command.File, int) {
	flag := os.O_WRONLY
	if !d.has("nocreat") {
		flag |= os.O_CREATE
	}
	if d.has("excl") {
		flag |= os.O_EXCL
	}
	if d.append {
		flag |= os.O_APPEND
	}
	if !d.has("notrunc") && offset == 0 {
		flag |= os.O_TRUNC
	}
	file, err := d.c.OpenFile(d.out, flag, 0o666)
	if err != nil {
		d.c.Errorf("failed to open %s: %s", command.Quote(d.out), command.Text(err))
		return nil, 1
	}
	if !d.has("notrunc") && offset > 0 {
		if info, err := d.c.Stat(d.out); err == nil && info.Mode().IsRegular() {
			if err := d.c.Truncate(d.out, offset); err != nil {
				_ = file.Close()
				d.c.Errorf("failed to truncate to %d bytes in output file %s: %s", offset, command.Quote(d.out),
					command.Text(err))
				return nil, 1
			}
		}
	}
	return file, 0
}

// forward moves on in the output. A stream gets NULs.
func forward(out io.Writer, n int64) error {
	if seeker, ok := out.(io.Seeker); ok {
		if _, err := seeker.Seek(n, io.SeekCurrent); err == nil {
			return nil
		}
	}
	_, err := io.CopyN(out, zeros{}, n)
	return err
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

func (d *copier) skipInput(in io.Reader) int {
	n := d.skip
	if !d.skipBytes {
		if n > math.MaxInt64/d.ibs {
			n = math.MaxInt64
		} else {
			n *= d.ibs
		}
	}
	if n == 0 {
		return 0
	}
	if skipped, _ := io.CopyN(io.Discard, in, n); skipped < n {
		d.c.Errorf("%s: cannot skip to specified offset", command.QuoteOdd(d.inName()))
	}
	return 0
}

func (d *copier) copy(in io.Reader) int {
	block := make([]byte, d.ibs)
	left := d.count
	if left >= 0 && !d.inBytes {
		if left > math.MaxInt64/d.ibs {
			left = -1
		}
	}
	var odd []byte // a byte whose neighbour is not yet there
	status := 0
	for blocks := int64(0); d.c.Context().Err() == nil; blocks++ {
		want := d.ibs
		if d.count >= 0 {
			if d.inBytes {
				want = min(want, left)
			} else if blocks >= d.count {
				break
			}
			if want == 0 {
				break
			}
		}
		var n int
		var err error
		if d.fullBlock {
			n, err = io.ReadFull(in, block[:want])
			if err == io.ErrUnexpectedEOF {
				err = nil
			}
		} else {
			n, err = in.Read(block[:want])
		}
		if err != nil && err != io.EOF {
			d.c.Errorf("error reading %s: %s", command.Quote(d.inName()), command.Text(err))
			status = 1
		}
		if n == 0 {
			break
		}
		left -= int64(n)
		data := block[:n]
		if int64(n) == d.ibs {
			d.wholeIn++
		} else {
			d.partIn++
			if d.has("sync") {
				fill := byte(0)
				if d.has("block") || d.has("unblock") {
					fill = ' '
				}
				for i := n; i < len(block); i++ {
					block[i] = fill
				}
				data = block
			}
		}
		if d.has("swab") {
			data, odd = swapped(append(odd, data...))
		}
		data = d.convert(data)
		if err := d.write(data, false); err != nil {
			return d.writeError(err)
		}
	}
	data := odd
	if d.has("block") || d.has("unblock") {
		data = append(data, d.lastRecord()...)
	}
	if err := d.write(data, true); err != nil {
		return d.writeError(err)
	}
	return status
}

func (d *copier) writeError(err error) int {
	d.c.Errorf("error writing %s: %s", command.Quote(d.outName()), command.Text(err))
	return 1
}

// swapped swaps pairs of bytes. The last one is returned if there is no other.
func swapped(data []byte) (pairs, odd []byte) {
	even := len(data) &^ 1
	pairs = make([]byte, even)
	for i := 0; i < even; i += 2 {
		pairs[i], pairs[i+1] = data[i+1], data[i]
	}
	return pairs, bytes.Clone(data[even:])
}

// convert does what conv says to some bytes.
func (d *copier) convert(data []byte) []byte {
	switch {
	case d.has("lcase"):
		data = mapBytes(data, 'A', 'Z')
	case d.has("ucase"):
		data = mapBytes(data, 'a', 'z')
	}
	if d.cbs == 0 || !d.has("block") && !d.has("unblock") {
		return data
	}
	var converted []byte
	for _, b := range data {
		switch {
		case d.has("unblock"):
			if d.held = append(d.held, b); int64(len(d.held)) == d.cbs {
				converted = append(converted, d.lastRecord()...)
			}
		case b == '\n':
			for int64(len(d.held)) < d.cbs {
				d.held = append(d.held, ' ')
			}
			converted = append(converted, d.held[:d.cbs]...)
			d.held = d.held[:0]
		case int64(len(d.held)) < d.cbs:
			d.held = append(d.held, b)
		}
	}
	return converted
}

// lastRecord returns the record that was begun, as a whole one.
func (d *copier) lastRecord() []byte {
	record := bytes.Clone(d.held)
	d.held = d.held[:0]
	if len(record) == 0 {
		return nil
	}
	if d.has("unblock") {
		return append(bytes.TrimRight(record, " "), '\n')
	}
	for int64(len(record)) < d.cbs {
		record = append(record, ' ')
	}
	return record
}

// mapBytes changes the case of letters.
func mapBytes(data []byte, from, to byte) []byte {
	for i, b := range data {
		if b >= from && b <= to {
			data[i] = b ^ 0x20
		}
	}
	return data
}

// write writes bytes in blocks. The last one can be smaller.
func (d *copier) write(data []byte, last bool) error {
	if d.oneSize && !d.has("swab") && !d.has("block") && !d.has("unblock") {
		return d.put(data)
	}
	d.pendingOut = append(d.pendingOut, data...)
	for int64(len(d.pendingOut)) >= d.obs {
		if err := d.put(d.pendingOut[:d.obs]); err != nil {
			return err
		}
		d.pendingOut = d.pendingOut[d.obs:]
	}
	if last {
		return d.put(d.pendingOut)
	}
	return nil
}

func (d *copier) put(data []byte) error {
	if len(data) == 0 {
		return nil
	}
	n, err := d.to.Write(data)
	d.copied += int64(n)
	if int64(len(data)) == d.obs {
		d.wholeOut++
	} else {
		d.partOut++
	}
	return err
}

// report says how much was copied.
func (d *copier) report(start time.Time) {
	if d.status == "none" {
		return
	}
	e := d.c.Stderr
	fmt.Fprintf(e, "%d+%d records in\n%d+%d records out\n", d.wholeIn, d.partIn, d.wholeOut, d.partOut)
	if d.status == "noxfer" {
		return
	}
	bytes := fmt.Sprintf("%d bytes", d.copied)
	if d.copied == 1 {
		bytes = "1 byte"
	}
	if d.copied >= 1000 {
		bytes += " (" + scaled(float64(d.copied), 1000, "B")
		if d.copied >= 1024 {
			bytes += ", " + scaled(float64(d.copied), 1024, "iB")
		}
		bytes += ")"
	}
	seconds := max(time.Since(start).Seconds(), 1e-9)
	fmt.Fprintf(e, "%s copied, %.6g s, %s/s\n", bytes, seconds, scaled(float64(d.copied)/seconds, 1000, "B"))
}

// scaled writes a number of bytes with two digits or more and a unit.
func scaled(n, base float64, unit string) string {
	prefixes := []string{"", "k", "M", "G", "T", "P", "E"}
	if base == 1024 {
		prefixes[1] = "K"
	}
	i := 0
	for ; n >= base && i < len(prefixes)-1; i++ {
		n /= base
	}
	prefix := prefixes[i]
	if i == 0 {
		unit = "B"
	}
	if n < 10 {
		return fmt.Sprintf("%.1f %s%s", n, prefix, unit)
	}
	return fmt.Sprintf("%.0f %s%s", n, prefix, unit)
}
