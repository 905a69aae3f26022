package service

import (
	"context"
	"errors"
	"time"

	"github.com/toolrun/toolrun/internal/text/filesearch"
	"github.com/toolrun/toolrun/vfs"
)

type SearchRequest struct {
	Project string `json:"project"`
	Text    string `json:"text"`
	Path    string `json:"path,omitempty" jsonschema:"search in this folder; the default is everywhere"`
	Regexp  bool   `json:"regexp,omitempty" jsonschema:"the text is a regular expression"`
	Case    bool   `json:"case,omitempty" jsonschema:"tell capital letters from small ones"`
	Lines   bool   `json:"lines,omitempty" jsonschema:"only lines, and no files whose names match"`
	Once    bool   `json:"once,omitempty" jsonschema:"only the first line of each file"`
}

type Match struct {
	Path string `json:"path"`
	Line int    `json:"line,omitempty" jsonschema:"from 1; none if the name is what matches"`
	Text string `json:"text,omitempty" jsonschema:"the line, or a part of it"`
}

type SearchAnswer struct {
	Matches     []Match `json:"matches"`
	More        bool    `json:"more" jsonschema:"there are more, or the time was up"`
	NotSearched string  `json:"notSearched,omitempty" jsonschema:"files that are not text, or cannot be read, and why"`
}

const (
	maxPattern = 1000 // bytes: even what is refused then is parsed, which takes some kilobytes for each
	maxMatches = 500
	maxLine    = 300
	searchTime = 10 * time.Second
)

// Search returns lines of text files that contain a text, and files whose names do.
func (s *Service) Search(ctx context.Context, in SearchRequest) (SearchAnswer, error) {
	if err := s.may(Read, in.Project); err != nil {
		return SearchAnswer{}, err
	}
	if len(in.Text) > s.part(0, maxPattern, maxPattern) {
		return SearchAnswer{}, Bad("text", "this cannot be searched for")
	}
	return within(ctx, s, Read, in.Project, "", func(p vfs.Project) (SearchAnswer, error) {
		out := SearchAnswer{Matches: []Match{}}
		top, err := vfs.Clean(in.Path)
		if err != nil {
			return out, err
		}
		o := filesearch.Options{Pattern: in.Text, Plain: !in.Regexp, IgnoreCase: !in.Case, Names: !in.Lines,
			Once: in.Once, Matches: s.part(0, maxMatches, maxMatches), Line: s.part(0, maxLine, maxLine),
			Whole: s.whole(), Time: searchTime}
		if s.access.Files != nil {
			o.Time = 0
		}
		found, err := filesearch.Search(ctx, p, []string{top}, o)
		if _, ok := errors.AsType[*filesearch.PatternError](err); ok {
			return out, Bad("text", "%v", err)
		}
		for _, m := range found.Matches {
			out.Matches = append(out.Matches, Match(m))
		}
		out.More, out.NotSearched = found.More, found.NotSearched
		return out, err
	})
}
