package module

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
)

// A Map translates positions in generated code to positions in its source. It is safe for concurrent use.
type Map struct {
	lines [][]segment // of the generated code
}

// segment maps the generated code from a column up to the next segment.
type segment struct {
	column         int // in the generated line
	line, original int // in the source, from 0; line is -1 for added code
}

// Size returns the approximate memory use of the map in bytes. It is 0 for nil.
func (m *Map) Size() int {
	if m == nil {
		return 0
	}
	const sliceSize, segmentSize = 24, 24
	size := 0
	for _, segments := range m.lines {
		size += sliceSize + cap(segments)*segmentSize
	}
	return size
}

// Original returns the source position of a position in the generated code. Lines and columns count from 1, columns
// in UTF-16 code units. It returns false for code that was added.
func (m *Map) Original(line, column int) (originalLine, originalColumn int, ok bool) {
	if line < 1 || line > len(m.lines) || column < 1 {
		return 0, 0, false
	}
	segments := m.lines[line-1]
	i, found := slices.BinarySearchFunc(segments, column-1, func(s segment, column int) int {
		return s.column - column
	})
	if !found {
		i--
	}
	if i < 0 || segments[i].line < 0 {
		return 0, 0, false
	}
	return segments[i].line + 1, segments[i].original + 1, true
}

// MarshalJSON encodes a map as a list for each line of the generated code: for each of its parts the column, and the
// line and column in the source, where -1 is the line of code that was added.
func (m *Map) MarshalJSON() ([]byte, error) {
	lines := make([][]int, len(m.lines))
	for i, segments := range m.lines {
		lines[i] = make([]int, 0, 3*len(segments))
		for _, s := range segments {
			lines[i] = append(lines[i], s.column, s.line, s.original)
		}
	}
	return json.Marshal(lines)
}

// UnmarshalJSON decodes what MarshalJSON returns.
func (m *Map) UnmarshalJSON(data []byte) error {
	var lines [][]int
	if err := json.Unmarshal(data, &lines); err != nil {
		return err
	}
	m.lines = make([][]segment, len(lines))
	for i, numbers := range lines {
		if len(numbers)%3 != 0 {
			return errMap
		}
		for part := range slices.Chunk(numbers, 3) {
			m.lines[i] = append(m.lines[i], segment{part[0], part[1], part[2]})
		}
	}
	return nil
}

var errMap = errors.New("invalid source map")

// newMap parses a source map with a single source.
func newMap(data []byte) (*Map, error) {
	var content struct {
		Version  int
		Mappings string
	}
	if err := json.Unmarshal(data, &content); err != nil {
		return nil, err
	}
	if content.Version != 3 {
		return nil, errMap
	}
	m := &Map{}
	var line, column int // in the source
	source, name := 0, 0
	for generated := range strings.SplitSeq(content.Mappings, ";") {
		segments := []segment{}
		at := 0
		for fields := range strings.SplitSeq(generated, ",") {
			if fields == "" {
				continue
			}
			values := [5]*int{&at, &source, &line, &column, &name}
			n := 0
			for ; fields != ""; n++ {
				delta, rest, ok := vlq(fields)
				if !ok || n == len(values) {
					return nil, errMap
				}
				*values[n] += delta
				fields = rest
			}
			if at < 0 || line < 0 || column < 0 || n != 1 && n < 4 {
				return nil, errMap
			}
			s := segment{at, line, column}
			if n == 1 {
				s.line = -1
			}
			segments = append(segments, s)
		}
		m.lines = append(m.lines, segments)
	}
	return m, nil
}

const base64Digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

// vlq reads a variable-length number: five bits per digit, with the sign in the lowest bit.
func vlq(s string) (value int, rest string, ok bool) {
	for i, shift := 0, 0; i < len(s) && shift < 32; i, shift = i+1, shift+5 {
		digit := strings.IndexByte(base64Digits, s[i])
		if digit < 0 {
			return 0, "", false
		}
		value |= (digit & 31) << shift
		if digit&32 != 0 {
			continue
		}
		if value&1 != 0 {
			return -(value >> 1), s[i+1:], true
		}
		return value >> 1, s[i+1:], true
	}
	return 0, "", false
}

// cut corrects the source positions after a transform of code with a prefix of the given length in its first line, and
// with lines added after the given number of lines.
func (m *Map) cut(prefix, lines int) {
	for _, segments := range m.lines {
		for i := range segments {
			s := &segments[i]
			if s.line == 0 {
				s.original -= prefix
			}
			if s.original < 0 || s.line >= lines {
				s.line = -1
			}
		}
	}
}
