package clientconfig

import (
	"bytes"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
)

// tomlFormat is TOML, in which each server is a table with a header.
type tomlFormat struct{}

func (tomlFormat) parse(data []byte) (map[string]any, error) {
	file := map[string]any{}
	if err := toml.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	return normal(file).(map[string]any), nil
}

func (tomlFormat) add(data []byte, path []string, name string, entry []field) ([]byte, error) {
	// The parser lets a table in one line have others after it. TOML does not.
	if regexp.MustCompile(`(?m)^\s*` + path[0] + `\s*=`).Match(data) {
		return nil, ErrShape
	}
	end := newline(data)
	var b strings.Builder
	b.Write(data)
	if len(data) > 0 {
		if !bytes.HasSuffix(data, []byte("\n")) {
			b.WriteString(end)
		}
		b.WriteString(end)
	}
	b.WriteString("[" + strings.Join(path, ".") + "." + name + "]" + end)
	for _, f := range entry {
		b.WriteString(f.name + " = " + literal(f.value) + end)
	}
	return []byte(b.String()), nil
}

func (tomlFormat) remove(data []byte, path []string, name string) ([]byte, error) {
	key := `\s*` + strings.Join(path, `\s*\.\s*`) + `\s*\.\s*"?` + regexp.QuoteMeta(name) + `"?\s*`
	own := regexp.MustCompile(`^\s*\[` + key + `(\.[^\]]*)?\]`)
	header := regexp.MustCompile(`^\s*\[`)
	var out []byte
	in, found := false, false
	for line := range bytes.Lines(data) {
		if header.Match(line) {
			in = own.Match(line)
			if in && !found { // the empty line before it is its own
				found = true
				if rest, ok := bytes.CutSuffix(out, []byte("\r\n\r\n")); ok {
					out = append(rest, "\r\n"...)
				} else if rest, ok := bytes.CutSuffix(out, []byte("\n\n")); ok {
					out = append(rest, '\n')
				}
			}
		}
		if !in {
			out = append(out, line...)
		}
	}
	return out, nil
}
