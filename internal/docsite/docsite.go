// Package docsite makes pages for a browser of the documentation, which is Markdown. They are files that need no server
// and no network: a style sheet, a list of all pages, and a search in their text.
//
// It is not the page of toolrun serve, which shows projects and is in package web.
package docsite

import (
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"

	"github.com/toolrun/toolrun/internal/text/fill"
)

//go:embed assets/site.css assets/search.js
var assets embed.FS

//go:embed assets/layout.html
var layoutText string

var layout = fill.New(layoutText)

// index is the page that the others are found from, and its name among the pages that are made.
const index, indexName = "README.md", "index.html"

// A page is one file of the documentation.
type page struct {
	Name  string // of the file that is made
	Title string
	Here  bool // it is the page that is written
	tree  ast.Node
	text  []byte
}

// A section is what the search finds: a heading with the text below it, up to the next one.
type section struct {
	Page  string `json:"page"`
	Title string `json:"title"`
	Link  string `json:"link"`
	Text  string `json:"text"`
}

// Write makes the pages of the Markdown in a directory, which it makes if it is not there. What else is in the
// directory stays. README.md becomes index.html, and the others are listed in the order in which it links to them; an
// error names one that it does not link to. Links that lead out of the documentation lead to source instead, a URL that
// ends with a slash. Pictures are copied. The version is shown on each page.
func Write(dir string, docs fs.FS, source, version string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	markdown := goldmark.New(goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()))
	pages, err := read(docs, source, markdown.Parser())
	if err != nil {
		return err
	}
	var found []section
	for _, p := range pages {
		var body strings.Builder
		if err := markdown.Renderer().Render(&body, p.text, p.tree); err != nil {
			return err
		}
		p.Here = true
		whole := layout.HTML(struct {
			Title, Version string
			Pages          []*page
			Body           fill.HTML // goldmark leaves HTML of the source out
		}{p.Title, version, pages, fill.HTML(body.String())})
		p.Here = false
		if err := os.WriteFile(filepath.Join(dir, p.Name), []byte(whole), 0o644); err != nil {
			return err
		}
		found = append(found, p.sections()...)
	}
	data, err := json.Marshal(found)
	if err != nil {
		return err
	}
	// It is a script, for a page of a disk cannot read other files.
	search := fmt.Appendf(nil, "const sections = %s;\n", data)
	if err := os.WriteFile(filepath.Join(dir, "sections.js"), search, 0o644); err != nil {
		return err
	}
	for _, name := range []string{"site.css", "search.js"} {
		if err := copyFile(dir, assets, path.Join("assets", name)); err != nil {
			return err
		}
	}
	for _, pattern := range []string{"*.png", "*.svg"} {
		pictures, err := fs.Glob(docs, pattern)
		if err != nil {
			return err
		}
		for _, name := range pictures {
			if err := copyFile(dir, docs, name); err != nil {
				return err
			}
		}
	}
	return nil
}

func copyFile(dir string, from fs.FS, name string) error {
	data, err := fs.ReadFile(from, name)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, path.Base(name)), data, 0o644)
}

// read parses all pages, the index first.
func read(docs fs.FS, source string, parse parser.Parser) ([]*page, error) {
	names, err := fs.Glob(docs, "*.md")
	if err != nil {
		return nil, err
	}
	byName := map[string]*page{}
	for _, name := range names {
		data, err := fs.ReadFile(docs, name)
		if err != nil {
			return nil, err
		}
		ids := parser.WithContext(parser.NewContext(parser.WithIDs(anchors{})))
		byName[name] = &page{Name: pageName(name), text: data, tree: parse.Parse(text.NewReader(data), ids)}
	}
	first := byName[index]
	if first == nil {
		return nil, fmt.Errorf("the documentation has no %s", index)
	}
	pages := []*page{first}
	for _, link := range links(first.tree) {
		target, _, _ := strings.Cut(string(link.Destination), "#")
		if p := byName[target]; p != nil && p.Title == "" && p != first {
			p.Title = plain(link, first.text)
			pages = append(pages, p)
		}
	}
	first.Title = "Documentation"
	for _, name := range names {
		p := byName[name]
		if p.Title == "" {
			return nil, fmt.Errorf("%s has no link to %s", index, name)
		}
		for _, link := range links(p.tree) {
			link.Destination = []byte(target(string(link.Destination), byName, source))
		}
	}
	return pages, nil
}

func pageName(name string) string {
	if name == index {
		return indexName
	}
	return strings.TrimSuffix(name, ".md") + ".html"
}

// target is where a link of the documentation leads among the pages.
func target(link string, pages map[string]*page, source string) string {
	name, fragment, has := strings.Cut(link, "#")
	switch {
	case name == "" || strings.Contains(name, ":"):
		return link
	case pages[name] != nil:
		name = pageName(name)
	case strings.HasPrefix(name, "../"):
		name = source + strings.TrimPrefix(name, "../")
	}
	if has {
		name += "#" + fragment
	}
	return name
}

func links(tree ast.Node) (all []*ast.Link) {
	_ = ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if link, ok := n.(*ast.Link); ok && entering {
			all = append(all, link)
		}
		return ast.WalkContinue, nil
	})
	return all
}

// plain is the text of a node without its form.
func plain(n ast.Node, source []byte) string {
	var b strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			if n.Type() == ast.TypeBlock {
				b.WriteByte(' ')
			}
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Text:
			b.Write(n.Value(source))
			if n.SoftLineBreak() || n.HardLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(n.Value)
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			b.Write(n.Lines().Value(source))
		}
		return ast.WalkContinue, nil
	})
	return strings.Join(strings.Fields(b.String()), " ")
}

// sections are the parts of a page that the search finds.
func (p *page) sections() []section {
	all := []section{{Page: p.Title, Title: p.Title, Link: p.Name}}
	for n := p.tree.FirstChild(); n != nil; n = n.NextSibling() {
		if heading, ok := n.(*ast.Heading); ok && heading.Level > 1 {
			id, _ := heading.AttributeString("id")
			all = append(all, section{Page: p.Title, Title: plain(n, p.text), Link: fmt.Sprintf("%s#%s", p.Name, id)})
			continue
		}
		last := &all[len(all)-1]
		last.Text = strings.TrimSpace(last.Text + " " + plain(n, p.text))
	}
	return all
}

// anchors names headings as GitHub does, so that links to parts of pages lead to the same place there and here.
type anchors map[string]int

func (a anchors) Generate(value []byte, _ ast.NodeKind) []byte {
	var b strings.Builder
	for _, r := range strings.ToLower(strings.TrimSpace(string(value))) {
		switch {
		case r == ' ':
			b.WriteByte('-')
		case r == '-' || r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z':
			b.WriteRune(r)
		}
	}
	id := b.String()
	n := a[id]
	a[id]++
	if n > 0 {
		id = fmt.Sprintf("%s-%d", id, n)
	}
	return []byte(id)
}

func (a anchors) Put([]byte) {}
