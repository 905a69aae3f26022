package shell

import (
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// readOne reads a byte, so that what follows is left for others.
func (sh *Shell) readOne(d *description) (byte, error) {
	var one [1]byte
	for {
		n, err := d.read(sh.process, one[:])
		if n == 1 {
			return one[0], nil
		}
		if err != nil {
			return 0, err
		}
	}
}

const readUsage = "read [-ers] [-a array] [-d delim] [-i text] [-n nchars] [-N nchars] [-p prompt] [-t timeout] " +
	"[-u fd] [name ...]"

func builtinRead(sh *Shell, args []string) int {
	var raw, exactly bool
	array, delimiter, most, fd := "", byte('\n'), -1, 0
	options, args, ok := sh.getopt(args, "ersa:d:i:n:N:p:t:u:", readUsage)
	if !ok {
		return 2
	}
	for _, o := range options {
		n, err := strconv.Atoi(o.value)
		switch o.letter {
		case 'r':
			raw = true
		case 'a':
			array = o.value
		case 'd':
			delimiter = delimiterOf(o.value)
		case 'n', 'N':
			if err != nil || n < 0 {
				sh.errorf("read: %s: invalid number", o.value)
				return 1
			}
			most, exactly = n, o.letter == 'N'
		case 'u':
			if err != nil || sh.fd(n) == nil {
				sh.errorf("read: %s: invalid file descriptor: Bad file descriptor", o.value)
				return 1
			}
			fd = n
		case 't':
			seconds, err := strconv.ParseFloat(o.value, 64)
			if err != nil || seconds < 0 {
				sh.errorf("read: %s: invalid timeout specification", o.value)
				return 1
			}
			if seconds == 0 {
				return command.Status(sh.ready(fd))
			}
			// What is read is a file or a pipe whose writer goes on, or nothing.
			if d := sh.fd(fd); d != nil && d.pipe != nil && !d.pipe.ready() {
				if !sh.waitReady(d.pipe, time.Duration(seconds*float64(time.Second))) {
					return 128 + 14
				}
			}
		}
	}
	for _, name := range args {
		if base, _, _ := cutSubscript(name); !validName(base) {
			sh.errorf("read: `%s': not a valid identifier", name)
			return 1
		}
	}
	d := sh.fd(fd)
	if d == nil {
		sh.errorf("read: read error: %d: Bad file descriptor", fd)
		return 1
	}
	// escaped marks the bytes that a backslash was before.
	var line, escaped []byte
	status, characters := 0, 0
	if exactly {
		delimiter = 0
	}
	for most < 0 || characters < most {
		c, err := sh.readOne(d)
		if err != nil {
			if err != io.EOF {
				sh.errorf("read: read error: %d: %s", fd, command.Text(err))
			}
			status = 1
			break
		}
		if c == delimiter && !exactly {
			break
		}
		mark := byte(0)
		if c == '\\' && !raw {
			if c, err = sh.readOne(d); err != nil {
				status = 1
				break
			}
			if c == '\n' {
				continue
			}
			mark = 1
		}
		if c == 0 {
			continue
		}
		line, escaped = append(line, c), append(escaped, mark)
		if utf8.RuneStart(c) || most < 0 {
			characters++
		}
		for most >= 0 && c >= utf8.RuneSelf && !utf8.FullRune(line[lastRune(line):]) {
			if c, err = sh.readOne(d); err != nil {
				break
			}
			line, escaped = append(line, c), append(escaped, 0)
		}
	}
	text := string(line)
	switch {
	case array != "":
		sh.changing(array)
		v := sh.own(array)
		v.kind, v.list, v.set, v.str = indexed, nil, true, ""
		for i, field := range sh.readFields(text, escaped, -1) {
			v.putAt(i, field)
		}
	case len(args) == 0:
		sh.assign("REPLY", text)
	case exactly:
		sh.assignTo(args[0], text)
		for _, name := range args[1:] {
			sh.assignTo(name, "")
		}
	default:
		fields := sh.readFields(text, escaped, len(args))
		for i, name := range args {
			value := ""
			if i < len(fields) {
				value = fields[i]
			}
			sh.assignTo(name, value)
		}
	}
	return status
}

func lastRune(line []byte) int {
	i := len(line) - 1
	for i > 0 && !utf8.RuneStart(line[i]) {
		i--
	}
	return i
}

func (sh *Shell) assignTo(name, value string) {
	if base, subscript, ok := cutSubscript(name); ok {
		sh.assignElement(base, subscript, value, false)
		return
	}
	sh.assign(name, value)
}

// ready says whether something can be read at once.
func (sh *Shell) ready(fd int) bool {
	d := sh.fd(fd)
	return d != nil && (d.pipe == nil || d.pipe.ready())
}

func (p *pipe) ready() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.data) > p.from || p.noWriter
}

// waitReady waits until something can be read from a pipe, but not longer than some time.
func (sh *Shell) waitReady(p *pipe, most time.Duration) bool {
	late := false
	timer := time.AfterFunc(most, func() {
		p.mu.Lock()
		late = true
		p.changed.Broadcast()
		p.mu.Unlock()
	})
	defer timer.Stop()
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.data) == p.from && !p.noWriter {
		if late {
			return false
		}
		sh.process.wait(p.changed)
	}
	return true
}

// readFields splits a line for read: into at most some fields, of which the last one has the rest.
func (sh *Shell) readFields(s string, escaped []byte, most int) []string {
	ifs := " \t\n"
	if v := sh.vars["IFS"]; v != nil && v.set {
		ifs = v.str
	}
	is := func(i int) bool { return escaped[i] == 0 && strings.IndexByte(ifs, s[i]) >= 0 }
	white := func(i int) bool { return is(i) && (s[i] == ' ' || s[i] == '\t' || s[i] == '\n') }
	begin, end := 0, len(s)
	for begin < end && white(begin) {
		begin++
	}
	for end > begin && white(end-1) {
		end--
	}
	var fields []string
	for begin < end {
		if most > 0 && len(fields) == most-1 {
			rest := s[begin:end]
			// A delimiter at the end does not belong to the rest, if there is no other in it.
			if is(end-1) && !white(end-1) {
				only := true
				for i := begin; i < end-1; i++ {
					only = only && !is(i)
				}
				if only {
					rest = rest[:len(rest)-1]
				}
			}
			return append(fields, rest)
		}
		i := begin
		for i < end && !is(i) {
			i++
		}
		fields = append(fields, s[begin:i])
		for i < end && white(i) {
			i++
		}
		if i < end && is(i) && !white(i) {
			i++
			for i < end && white(i) {
				i++
			}
		}
		begin = i
	}
	return fields
}

// delimiterOf returns what the option -d stands for.
func delimiterOf(s string) byte {
	if s == "" {
		return 0
	}
	return s[0]
}

func builtinMapfile(sh *Shell, args []string) int {
	name := args[0]
	trim, delimiter, most, skip, origin, fd := false, byte('\n'), -1, 0, -1, 0
	options, args, ok := sh.getopt(args, "d:n:O:s:tu:C:c:",
		name+" [-d delim] [-n count] [-O origin] [-s count] [-t] [-u fd] [-C callback] [-c quantum] [array]")
	if !ok {
		return 2
	}
	for _, o := range options {
		n, err := strconv.Atoi(o.value)
		if err != nil && strings.IndexByte("tdC", o.letter) < 0 {
			sh.errorf("%s: %s: invalid number", name, o.value)
			return 1
		}
		switch o.letter {
		case 't':
			trim = true
		case 'd':
			delimiter = delimiterOf(o.value)
		case 'n':
			if most = n; n == 0 {
				most = -1
			}
		case 'O':
			origin = n
		case 's':
			skip = n
		case 'u':
			fd = n
		}
	}
	array := "MAPFILE"
	if len(args) > 0 {
		array = args[0]
	}
	if !validName(array) {
		sh.errorf("%s: `%s': not a valid identifier", name, array)
		return 1
	}
	array = sh.resolve(array)
	sh.changing(array)
	v := sh.own(array)
	if origin < 0 {
		v.kind, v.list, v.str, origin = indexed, nil, "", 0
	}
	v.array(indexed)
	v.set = true
	d := sh.fd(fd)
	if d == nil {
		sh.errorf("%s: %d: invalid file descriptor: Bad file descriptor", name, fd)
		return 1
	}
	add := func(line []byte) bool {
		if skip > 0 {
			skip--
			return true
		}
		if most == 0 {
			return false
		}
		most--
		text := string(line)
		if trim {
			text = strings.TrimSuffix(text, string(delimiter))
		}
		v.putAt(origin, strings.TrimSuffix(text, "\x00"))
		origin++
		return most != 0
	}
	if most < 0 {
		_ = command.Lines(stream{d, sh.process}, delimiter, add)
		return 0
	}
	// What is not wanted is left for others.
	var line []byte
	for most != 0 {
		c, err := sh.readOne(d)
		if err != nil {
			if len(line) > 0 {
				add(line)
			}
			break
		}
		if line = append(line, c); c == delimiter {
			add(line)
			line = line[:0]
		}
	}
	return 0
}

func builtinGetopts(sh *Shell, args []string) int {
	if len(args) < 3 {
		return sh.usage("getopts", "usage", "getopts optstring name [arg ...]")
	}
	options, name := args[1], args[2]
	params := sh.params
	if len(args) > 3 {
		params = args[3:]
	}
	quiet := strings.HasPrefix(options, ":")
	index, err := strconv.Atoi(sh.value("OPTIND"))
	if err != nil || index < 1 {
		index = 1
	}
	at := sh.optionAt
	done := func() int {
		sh.assign("OPTIND", strconv.Itoa(index))
		sh.optionAt = 0
		delete(sh.vars, "OPTARG")
		sh.assign(name, "?")
		return 1
	}
	if index > len(params) {
		index = len(params) + 1
		return done()
	}
	word := params[index-1]
	if at == 0 {
		if word == "--" {
			index++
			return done()
		}
		if len(word) < 2 || word[0] != '-' {
			return done()
		}
		at = 1
	}
	if at >= len(word) {
		at = 1
	}
	letter := word[at]
	at++
	advance := func() {
		if at >= len(word) {
			index, at = index+1, 0
		}
	}
	i := strings.IndexByte(options, letter)
	delete(sh.vars, "OPTARG")
	result := string(letter)
	switch {
	case letter == ':' || i < 0:
		advance()
		result = "?"
		if quiet {
			sh.assign("OPTARG", string(letter))
		} else if sh.value("OPTERR") != "0" {
			_ = sh.print(2, sh.name+": illegal option -- "+string(letter)+"\n")
		}
	case i+1 < len(options) && options[i+1] == ':':
		switch {
		case at < len(word):
			sh.assign("OPTARG", word[at:])
			index++
		case index < len(params):
			sh.assign("OPTARG", params[index])
			index += 2
		default:
			index++
			if quiet {
				result = ":"
				sh.assign("OPTARG", string(letter))
			} else {
				result = "?"
				if sh.value("OPTERR") != "0" {
					_ = sh.print(2, sh.name+": option requires an argument -- "+string(letter)+"\n")
				}
			}
		}
		at = 0
	default:
		advance()
	}
	sh.assign("OPTIND", strconv.Itoa(index))
	sh.optionAt = at
	sh.assign(name, result)
	return 0
}
