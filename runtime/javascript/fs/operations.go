package fs

import (
	"encoding/json"
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"

	"github.com/toolrun/toolrun/internal/text/jsontree"
	"github.com/toolrun/toolrun/internal/text/utf8text"
	"github.com/toolrun/toolrun/runtime/javascript/host"
)

// A fileOperation is a function of fs, as the host sees it.
type fileOperation struct {
	// paths are the names of its path arguments, which come first.
	paths []string
	// prepare reads the arguments other than paths and a number. Nil means that there are none.
	prepare func(c *host.Call, r *fileRequest) error
	// do does it. It runs on a goroutine that the run may abandon.
	do func(t tree, r *fileRequest) (any, error)
}

// A fileRequest is a call of a function of fs.
type fileRequest struct {
	operation string
	place     // the first path
	to        place
	option    int // flags, or a number
	mode      writeMode
	encoding  string
	data      []byte
	position  int64 // of a part
	length    int
}

// Where arguments are.
const (
	fileOption = 0 // flags or a number
	firstPath  = 1
	fileData   = 2 // of operations that have one path
)

// Flags of file operations. The numbers are those of prelude/files.js.
const (
	fileRecursive = 1
	fileForce     = 2
	fileExclusive = 4
)

var onePath, twoPaths = []string{"path"}, []string{"src", "dest"}

var fileOperations = map[string]fileOperation{
	"readFile":   {onePath, prepareRead, readFile},
	"writeFile":  {onePath, prepareWrite, writeFile},
	"appendFile": {onePath, prepareWrite, writeFile},
	"truncate": {onePath, nil, func(t tree, r *fileRequest) (any, error) {
		return nil, t.truncate(r.place, r.option)
	}},
	"exists": {onePath, nil, exists},
	"access": {onePath, nil, func(t tree, r *fileRequest) (any, error) { return nil, t.access(r.place, r.option) }},
	"stat":   {onePath, nil, func(t tree, r *fileRequest) (any, error) { return t.describe(r.place) }},
	"readdir": {onePath, nil, func(t tree, r *fileRequest) (any, error) {
		return t.list(r.place, r.has(fileRecursive))
	}},
	"mkdir": {onePath, nil, func(t tree, r *fileRequest) (any, error) {
		return t.mkdir(r.place, r.has(fileRecursive))
	}},
	"unlink": {onePath, nil, func(t tree, r *fileRequest) (any, error) { return nil, t.unlink(r.place) }},
	"rmdir": {onePath, nil, func(t tree, r *fileRequest) (any, error) {
		return nil, t.rmdir(r.place, r.has(fileRecursive))
	}},
	"rm": {onePath, nil, func(t tree, r *fileRequest) (any, error) {
		return nil, t.remove(r.place, r.has(fileRecursive), r.has(fileForce))
	}},
	"rename": {[]string{"oldPath", "newPath"}, nil, func(t tree, r *fileRequest) (any, error) {
		return nil, t.rename(r.place, r.to)
	}},
	"copyFile": {twoPaths, nil, func(t tree, r *fileRequest) (any, error) {
		return nil, t.copyFile(r.place, r.to, r.has(fileExclusive))
	}},
	"cp": {twoPaths, nil, func(t tree, r *fileRequest) (any, error) { return nil, t.copyAny(r) }},

	"readPart":  {onePath, prepareReadPart, readRange},
	"writePart": {onePath, prepareWritePart, writeRange},
}

func (r *fileRequest) has(flag int) bool { return r.option&flag != 0 }

// witnessed are the operations whose results follow from what evidence records: for stat and access only that a path is
// missing.
var witnessed = map[string]bool{"exists": true, "stat": true, "access": true, "readFile": true}

// exists is false for a path that cannot be looked at, whatever the reason.
func exists(t tree, r *fileRequest) (any, error) {
	if _, err := t.stat(r.place); err != nil {
		return 0, nil
	}
	return 1, nil
}

// functions are fs.readFile and so on.
func functions() map[string]host.Function {
	all := map[string]host.Function{}
	for name, op := range fileOperations {
		all["fs."+name] = func(c *host.Call) { op.serve(c, name) }
	}
	return all
}

// serve answers a call, whose arguments are flags or a number, the paths, and the rest.
func (op fileOperation) serve(c *host.Call, name string) {
	r := &fileRequest{operation: name}
	if c.Fail(r.prepare(c, op)) || c.Spend(callCost) != nil {
		return
	}
	use := host.Changes
	if witnessed[r.operation] {
		use = host.Witnesses
	} else if r.operation == "readdir" || r.operation == "readPart" {
		use = host.Reads
	}
	files, err := c.Runner.Files(use)
	if c.Fail(err) {
		return
	}
	work := &fileWork{ctx: c.Run().Context(), left: c.WorkLeft()}
	t := tree{work, files, c.Run().Limits().Memory}
	answer, err := host.Await(c, func() (any, error) {
		answer, err := op.do(t, r)
		if err != nil {
			return nil, err
		}
		if d, ok := answer.(description); ok {
			return jsontree.Marshal(d)
		}
		return answer, nil
	})
	missing := errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
	if !missing && (err != nil || r.operation == "stat" || r.operation == "access") {
		c.SetImpure()
	}
	if host.Ended(err) { // and the operation may still be under way
		c.Fail(err)
		return
	}
	if c.Spend(work.used) != nil {
		return
	}
	if err != nil {
		c.Fail(withSystemCall(Error(err, r.given), r.operation))
		return
	}
	switch v := answer.(type) {
	case encodedFile:
		c.ReturnText(v.encoding, v.data)
	case json.RawMessage:
		c.ReturnJSON(utf8text.View(v))
	default:
		c.Return(v, nil)
	}
}

// prepare reads the arguments.
func (r *fileRequest) prepare(c *host.Call, op fileOperation) error {
	r.option, _ = c.Int(fileOption)
	for i, p := range []*place{&r.place, &r.to}[:len(op.paths)] {
		if err := readPlace(c, firstPath+i, p, op.paths[i], r.operation); err != nil {
			return err
		}
	}
	if op.prepare == nil {
		return nil
	}
	return op.prepare(c, r)
}

// readPlace reads a path argument.
func readPlace(c *host.Call, i int, p *place, what, operation string) error {
	given, cut, ok := c.Prefix(i, host.MaxPath)
	switch {
	case !c.Has(i):
		return missingArgument(what, operation)
	case !ok:
		return &host.Failure{
			Name:    "TypeError",
			Code:    codeArgument,
			Message: "EINVAL: invalid argument, the " + what + " of fs." + operation + " must be a string",
		}
	case strings.Contains(given, "\x00"):
		return invalid(codeValue, "", given)
	case cut > 0, given == "", strings.ContainsFunc(given, func(c rune) bool {
		return c < ' ' || c == 0x7f || c == '\\'
	}):
		return fileFailure("EINVAL", "invalid argument", given)
	}
	*p = place{given, path.Clean("/" + given)}
	return nil
}
