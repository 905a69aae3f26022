package service

import (
	"context"
	"errors"
	"time"

	"github.com/toolrun/toolrun/internal/filesearch"
	"github.com/toolrun/toolrun/vfs"
)

type SearchRequest struct {
	Project string `json:"project"`
	Text    string `json:"text"`
	Path    string `json:"path,omitempty" jsonschema:"search in this folder; the default is everywhere"`
	Regexp  bool   `json:"regexp,omitempty" jsonschema:"the text is a regular expression"`
	Case    bool   `json:"case,omitempty" jsonschema:"tell capital letters from small ones"`
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
	none := Bad("text", "this cannot be searched for")
	if len(in.Text) > maxPattern {
		return SearchAnswer{}, none
	}
	return within(ctx, s, Read, in.Project, "", func(p vfs.Project) (SearchAnswer, error) {
		out := SearchAnswer{Matches: []Match{}}
		top, err := vfs.Clean(in.Path)
		if err != nil {
			return out, err
		}
		found, err := filesearch.Search(ctx, p, []string{top}, filesearch.Options{
			Pattern: in.Text, Plain: !in.Regexp, IgnoreCase: !in.Case, Names: true, Matches: maxMatches, Line: maxLine,
			Whole: MaxEdit, Time: searchTime,
		})
		if _, ok := errors.AsType[*filesearch.PatternError](err); ok {
			return out, none
		}
		for _, m := range found.Matches {
			out.Matches = append(out.Matches, Match(m))
		}
		out.More, out.NotSearched = found.More, found.NotSearched
		return out, err
	})
}
