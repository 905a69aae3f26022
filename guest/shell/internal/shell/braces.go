package shell

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// braces expands the braces of a word.
func (sh *Shell) braces(word *syntax.Word) []*syntax.Word {
	c := syntax.Word{Parts: slices.Clone(word.Parts)}
	if !syntax.SplitBraces(&c) {
		return []*syntax.Word{word}
	}
	var out []*syntax.Word
	sh.brace(nil, c.Parts, func(parts []syntax.WordPart) {
		if len(out)&0xff == 0 {
			sh.process.check()
		}
		out = append(out, &syntax.Word{Parts: parts})
	})
	return out
}

// brace expands the first braces among parts, and those after them.
func (sh *Shell) brace(left, parts []syntax.WordPart, do func([]syntax.WordPart)) {
	for i, part := range parts {
		b, ok := part.(*syntax.BraceExp)
		if !ok {
			continue
		}
		before := slices.Concat(left, parts[:i])
		rest := parts[i+1:]
		if b.Sequence {
			if !sequence(b, func(s string) {
				sh.brace(append(before[:len(before):len(before)], &syntax.Lit{Value: s}), rest, do)
			}) {
				text := &syntax.Lit{Value: source(&syntax.Word{Parts: []syntax.WordPart{b}})}
				sh.brace(append(before[:len(before):len(before)], text), rest, do)
			}
			return
		}
		for _, elem := range b.Elems {
			sh.brace(before, slices.Concat(elem.Parts, rest), do)
		}
		return
	}
	do(slices.Concat(left, parts))
}

// sequence counts as {1..3} does. It returns false if it cannot.
func sequence(b *syntax.BraceExp, do func(string)) bool {
	first, last := b.Elems[0].Lit(), b.Elems[1].Lit()
	from, err1 := strconv.ParseInt(first, 10, 64)
	to, err2 := strconv.ParseInt(last, 10, 64)
	letters := err1 != nil && err2 != nil
	if letters {
		if len(first) != 1 || len(last) != 1 {
			return false
		}
		from, to = int64(first[0]), int64(last[0])
	} else if err1 != nil || err2 != nil {
		return false
	}
	step := int64(1)
	if len(b.Elems) > 2 {
		n, err := strconv.ParseInt(b.Elems[2].Lit(), 10, 64)
		if err != nil {
			return false
		}
		step = max(n, -n)
		if step == 0 {
			step = 1
		}
	}
	width := 0
	padded := func(s string) bool {
		return len(strings.TrimPrefix(s, "-")) > 1 && strings.TrimPrefix(s, "-")[0] == '0'
	}
	if !letters && (padded(first) || padded(last)) {
		width = max(len(first), len(last))
	}
	for n := from; ; {
		switch {
		case letters:
			do(string(rune(n)))
		case width > 0:
			do(fmt.Sprintf("%0*d", width, n))
		default:
			do(strconv.FormatInt(n, 10))
		}
		if from <= to {
			if n > to-step {
				return true
			}
			n += step
		} else {
			if n < to+step {
				return true
			}
			n -= step
		}
	}
}
