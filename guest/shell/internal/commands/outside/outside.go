// Package outside has the commands that need more than the sandbox of the shell: other languages, other tools, and the
// network. What the host has not granted fails with the host's own words.
package outside

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"io"
	"regexp"
	"strconv"
	"strings"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

// Commands are the commands of this package.
var Commands = []*command.Command{
	curl,
	js,
	node,
	python,
	python3,
	sqlite,
	toolrunCall,
	wget,
}

// A program is what a tool for code is to run. It becomes JSON for the script around it, python.py or node.js, which
// writes what the program prints in lines that begin with the key: the tool's own text is for models.
type program struct {
	Key    string   `json:"key"`
	Code   string   `json:"code"`
	File   string   `json:"file"`   // the code's name; empty for that of the command line
	Module string   `json:"module"` // to run instead of code
	Print  bool     `json:"print"`  // print the value of the code
	Args   []string `json:"args"`
	Stdin  []byte   `json:"stdin"`
	Dir    string   `json:"dir"`
	Env    []string `json:"env"`
}

// maxStdin is how much of standard input a program can get, in bytes: it is a part of the call.
const maxStdin = 4 << 20

// run runs a program by a tool. Around makes the tool's code of the program as base64. The program gets standard input
// if it seems to read it: reading it for others would take it from the commands that follow.
func run(c *command.Context, tool string, p program, reads bool, around func(task string) string) int {
	if reads {
		data, err := io.ReadAll(io.LimitReader(c.Stdin, maxStdin+1))
		if err != nil {
			c.Errorf("standard input: %s", command.Text(err))
			return 1
		}
		if len(data) > maxStdin {
			c.Errorf("standard input has more than the %d MiB that a program gets: read a file instead", maxStdin>>20)
			return 1
		}
		p.Stdin = data
	}
	key := make([]byte, 8)
	_, _ = rand.Read(key)
	p.Key, p.Dir, p.Env = hex.EncodeToString(key), c.Dir, c.Env.List()
	task, err := json.Marshal(p)
	if err != nil {
		c.Errorf("%v", err)
		return 1
	}
	result, failure := c.CallTool(tool, map[string]string{"code": around(base64.StdEncoding.EncodeToString(task))})
	text := string(result)
	if failure != nil {
		text = failure.Error()
	}
	status, rest, ended := printed(c, text, p.Key)
	for _, line := range rest {
		if cut := cutNote.FindStringSubmatch(line); cut != nil {
			c.Errorf("output was cut off: it may have 1 MiB here; write more into a file")
			status = max(status, 1)
		}
	}
	if failure != nil && (status != 0 || !ended) && len(rest) > 0 && !exitNote.MatchString(rest[len(rest)-1]) {
		for _, line := range rest {
			_, _ = io.WriteString(c.Stderr, line+"\n")
		}
	}
	if failure != nil && !ended {
		return 1
	}
	return status
}

var (
	cutNote  = regexp.MustCompile(`^\[output limit reached: \d+ more bytes were cut off\]$`)
	exitNote = regexp.MustCompile(`^the (script|code) exited with status \d+\.`)
	heading  = regexp.MustCompile(`^=== (Console output|Result|Error) ===$`)
)

// printed writes what a program has printed, which is in lines of a text: the key, and "o" for standard output, "e" for
// standard error, or "x" for the exit status, then the bytes as base64, or the number. It returns the status, whether
// there was one, and the other lines, without the headings of the tool.
func printed(c *command.Context, text, key string) (status int, rest []string, ended bool) {
	for line := range strings.SplitSeq(text, "\n") {
		_, piece, ok := strings.Cut(line, key)
		if !ok || piece == "" {
			if line = strings.TrimPrefix(line, "[LOG] "); line != "" && !heading.MatchString(line) {
				rest = append(rest, line)
			}
			continue
		}
		kind, piece := piece[0], piece[1:]
		if kind == 'x' {
			n, _ := strconv.Atoi(piece)
			status, ended = n&0xff, true
			continue
		}
		data, err := base64.StdEncoding.DecodeString(piece)
		if err != nil {
			rest = append(rest, "[output limit reached: 1 more bytes were cut off]")
			continue
		}
		w := c.Stdout
		if kind == 'e' {
			w = c.Stderr
		}
		_, _ = w.Write(data)
	}
	return status, rest, ended
}

// source reads the code of a program that the command line names: a file, or standard input if that is "-" or "".
func source(c *command.Context, name string) (code string, ok bool) {
	if name == "" {
		name = "-"
	}
	in, err := c.Input(name)
	var data []byte
	if err == nil {
		defer in.Close()
		data, err = io.ReadAll(in)
	}
	if err != nil {
		c.Errorf("can't open file %s: %s", command.Quote(c.Path(name)), command.Text(err))
		return "", false
	}
	return string(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))), true
}
