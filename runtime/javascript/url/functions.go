package url

import (
	"errors"
	"strings"

	"github.com/toolrun/toolrun/internal/js/webapi"
	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/utf8text"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// A result of undefined means that the arguments are invalid; the JavaScript chooses the exception.

func parse(c *host.Call) {
	input := c.Text(0, webapi.MaxURL)
	if !c.Has(1) {
		returnURL(c, urlWork(input), func() (*webapi.URL, error) { return webapi.ParseURL(input, nil) })
		return
	}
	base := c.Text(1, webapi.MaxURL)
	returnURL(c, urlWork(input, base), func() (*webapi.URL, error) { return webapi.ParseURL(input, &base) })
}

func set(c *host.Call) {
	href, part, value := c.Text(0, webapi.MaxURL), c.Name(1), c.Text(2, webapi.MaxURL)
	returnURL(c, urlWork(href, value), func() (*webapi.URL, error) { return webapi.SetURL(href, part, value) })
}

// urlWork returns how many bytes of work it takes to parse texts as URLs. The parser's time grows with the square of
// the part before the query, which is short, and linearly with the rest.
func urlWork(texts ...string) int {
	head, size := 0, 0
	for _, text := range texts {
		n := strings.IndexAny(text, "?#")
		if n < 0 {
			n = len(text)
		}
		head += min(n, webapi.MaxURLHead)
		size += len(text)
	}
	return head*head + 8*size
}

// returnURL returns a URL: undefined if it is invalid. The parser, a dependency, runs on a goroutine that the run may
// abandon. Its input is so short that it ends soon by itself.
func returnURL(c *host.Call, work int, f func() (*webapi.URL, error)) {
	if c.Spend(work) != nil || c.Fail(nil) {
		return
	}
	u, err := host.Await(c, f)
	switch {
	case errors.Is(err, webapi.ErrInvalidURL):
		return
	case errors.Is(err, webapi.ErrLongURL):
		err = &host.Failure{Name: "RangeError", Message: err.Error()}
	}
	c.Return(u, err)
}

func parseQuery(c *host.Call) {
	text := c.Text(0, webapi.MaxURL)
	json := append(make([]byte, 0, 4*len(text)+16), `{"list":[`...)
	err := webapi.ParseQuery(text, c.Spend, func(name, value string) error {
		if json[len(json)-1] != '[' {
			json = append(json, ',')
		}
		json = jsontree.AppendString(json, name)
		json = jsontree.AppendString(append(json, ','), value)
		return nil
	})
	if !c.Fail(err) {
		c.ReturnJSON(utf8text.View(append(json, "]}"...)))
	}
}

// maxQuery is how many bytes the names and values of a query may have together.
const maxQuery = 4 << 20

func formatQuery(c *host.Call) {
	query, err := webapi.FormatQuery(c.Text(0, maxQuery), c.Text(1, maxQuery), c.Spend)
	if !errors.Is(err, webapi.ErrLengths) {
		c.Return(query, err)
	}
}
