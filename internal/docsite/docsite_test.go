package docsite_test

import (
	"encoding/json"
	"html"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/docs"
	"github.com/toolrun/toolrun/internal/docsite"
)

const source = "https://source.example/main/"

func files(all map[string]string) fstest.MapFS {
	out := fstest.MapFS{}
	for name, text := range all {
		out[name] = &fstest.MapFile{Data: []byte(text)}
	}
	return out
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	require.NoError(t, err)
	return string(data)
}

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	require.NoError(t, docsite.Write(dir, files(map[string]string{
		"README.md": "# All\n\n[Second](two.md), [First](one.md#what---root-does), [security](../SECURITY.md#a), " +
			"[web](https://x.example)",
		"one.md": "# One\n\nIntro.\n\n## What `--root` does\n\nIt *roots*.\n\n```sh\ntoolrun js\n```\n\n" +
			"## Again\n\n## Again\n",
		"two.md": "# Two\n\n| a | b |\n|---|---|\n| 1 | <script>x()</script> |\n\n![p](p.png) [there](one.md)\n",
		"p.png":  "picture",
	}), source, "toolrun v1.2.3"))

	first := read(t, dir, "index.html")
	require.Contains(t, first, `<a href="two.html">Second</a>, <a href="one.html#what---root-does">First</a>`)
	require.Contains(t, first, `<a href="https://source.example/main/SECURITY.md#a">security</a>`)
	require.Contains(t, first, `<a href="https://x.example">web</a>`)
	require.Contains(t, first, "toolrun v1.2.3")
	require.Less(t, strings.Index(first, `<a href="two.html">`), strings.Index(first, `<a href="one.html">`))

	one := read(t, dir, "one.html")
	require.Contains(t, one, `<a href="one.html" aria-current="page">First</a>`)
	require.Contains(t, one, `<h2 id="what---root-does">What <code>--root</code> does</h2>`)
	require.Contains(t, one, `<h2 id="again">`)
	require.Contains(t, one, `<h2 id="again-1">`)

	two := read(t, dir, "two.html")
	require.Contains(t, two, "<td>1</td>")
	require.NotContains(t, two, "<script>x()")
	require.Contains(t, two, `<img src="p.png" alt="p">`)
	require.Equal(t, "picture", read(t, dir, "p.png"))

	data, ok := strings.CutPrefix(read(t, dir, "sections.js"), "const sections = ")
	require.True(t, ok)
	var found []map[string]string
	require.NoError(t, json.Unmarshal([]byte(strings.TrimSuffix(data, ";\n")), &found))
	require.Contains(t, found, map[string]string{"page": "First", "title": "What --root does",
		"link": "one.html#what---root-does", "text": "It roots. toolrun js"})
}

func TestPagesThatCannotBeFound(t *testing.T) {
	err := docsite.Write(t.TempDir(), files(map[string]string{"README.md": "[a](a.md)", "a.md": "", "b.md": ""}),
		source, "")
	require.EqualError(t, err, "README.md has no link to b.md")
	require.EqualError(t, docsite.Write(t.TempDir(), files(nil), source, ""), "the documentation has no README.md")
}

var (
	reference = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	id        = regexp.MustCompile(`id="([^"]*)"`)
)

// TestLinks follows each link of the documentation: to a page and a part of it, or to a file of the repository.
func TestLinks(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, docsite.Write(dir, docs.Files, source, ""))
	pages, err := filepath.Glob(filepath.Join(dir, "*.html"))
	require.NoError(t, err)
	require.Greater(t, len(pages), 20)
	parts := map[string]bool{}
	for _, page := range pages {
		name := filepath.Base(page)
		parts[name+"#"] = true
		for _, m := range id.FindAllStringSubmatch(read(t, dir, name), -1) {
			parts[name+"#"+m[1]] = true
		}
	}
	for _, page := range pages {
		name := filepath.Base(page)
		for _, m := range reference.FindAllStringSubmatch(read(t, dir, name), -1) {
			link := html.UnescapeString(m[1])
			file, fragment, _ := strings.Cut(link, "#")
			switch inside, isSource := strings.CutPrefix(file, source); {
			case isSource:
				_, err := os.Stat(filepath.Join("..", "..", filepath.FromSlash(inside)))
				require.NoError(t, err, "%s: %s", name, link)
			case strings.Contains(file, ":"):
			case file == "" || strings.HasSuffix(file, ".html"):
				if file == "" {
					file = name
				}
				require.True(t, parts[file+"#"+fragment], "%s: %s", name, link)
			default:
				_, err := os.Stat(filepath.Join(dir, file))
				require.NoError(t, err, "%s: %s", name, link)
			}
		}
	}
}
