package shell

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

// defaultMask is what a shell's umask is at first.
const defaultMask fs.FileMode = 0o022

// mask returns the modes that files do not get when they are made.
func (sh *Shell) mask() fs.FileMode {
	if sh.files.Mask == nil {
		return defaultMask
	}
	return *sh.files.Mask
}

func builtinUmask(sh *Shell, args []string) int {
	options, args, ok := sh.getopt(args, "Sp", "umask [-p] [-S] [mode]")
	if !ok {
		return 2
	}
	symbolic, prefix := false, ""
	for _, o := range options {
		if o.letter == 'S' {
			symbolic = true
		} else {
			prefix = "umask "
		}
	}
	if len(args) > 0 {
		mask, problem := changedMask(sh.mask(), args[0])
		if problem != "" {
			sh.errorf("umask: %s", problem)
			return 1
		}
		sh.files.Mask = &mask
		if !symbolic {
			return 0
		}
	}
	mask := sh.mask()
	text := fmt.Sprintf("%04o", mask)
	if symbolic {
		if prefix != "" {
			prefix += "-S "
		}
		text = "u=" + letters(mask>>6) + ",g=" + letters(mask>>3) + ",o=" + letters(mask)
	}
	return sh.out("umask", prefix+text+"\n")
}

// letters returns what a mask allows.
func letters(mask fs.FileMode) string {
	s := ""
	for i, letter := range "rwx" {
		if mask&(4>>i) == 0 {
			s += string(letter)
		}
	}
	return s
}

// changedMask returns a mask as an argument wants it: as a number, or in words such as u=rwx,g-w. If that is neither,
// it returns what is wrong.
func changedMask(mask fs.FileMode, arg string) (changed fs.FileMode, problem string) {
	if arg != "" && arg[0] >= '0' && arg[0] <= '9' {
		n, err := strconv.ParseUint(arg, 8, 32)
		if err != nil || n > 0o777 {
			return 0, arg + ": octal number out of range"
		}
		return fs.FileMode(n), ""
	}
	allowed := ^mask & fs.ModePerm
	for clause := range strings.SplitSeq(arg, ",") {
		rest := strings.TrimLeft(clause, "agou")
		var who fs.FileMode
		for _, letter := range clause[:len(clause)-len(rest)] {
			who |= map[rune]fs.FileMode{'a': 0o777, 'u': 0o700, 'g': 0o070, 'o': 0o007}[letter]
		}
		if who == 0 {
			who = fs.ModePerm
		}
		if rest == "" || strings.IndexByte("+-=", rest[0]) < 0 {
			return 0, "`" + rest[:min(len(rest), 1)] + "': invalid symbolic mode operator"
		}
		var bits fs.FileMode
		for _, letter := range rest[1:] {
			bit, ok := map[rune]fs.FileMode{'r': 0o444, 'w': 0o222, 'x': 0o111}[letter]
			if !ok {
				return 0, "`" + string(letter) + "': invalid symbolic mode character"
			}
			bits |= bit
		}
		switch rest[0] {
		case '+':
			allowed |= bits & who
		case '-':
			allowed &^= bits & who
		default:
			allowed = allowed&^who | bits&who
		}
	}
	return ^allowed & fs.ModePerm, ""
}
