// Package calls notes the calls of a process, so that people can see and stop them, and lets processes that share a
// store see and stop each other's, such as a page in a browser those of commands and MCP servers:
//
//	log := calls.New(store, nil)
//	tools = tools.Using(log.Middleware)
//	defer log.Close()
//	latest, err := log.List(ctx, calls.Where{Project: "notes", Scope: scope}, 100, nil)
//
// Others learn of calls by the store's records, which are beside projects: the latest [Most] of each scope, [MaxBytes]
// in all, for [Keep] after the last one. They see them within a second or two, and [Log.Stop] reaches the process that
// runs one within two more. The records promise nothing: a process that dies loses its latest ones, and anyone who can
// write to the store can change them, and stop calls.
package calls

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"time"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
)

// Limits of what is kept of a scope.
const (
	Most     = 500
	MaxBytes = 256 << 10 // of all calls together, as they are kept
	MaxText  = 4 << 10   // bytes of an input or a result
	Keep     = 7 * 24 * time.Hour
)

// Times by which a call that runs is known to run.
const (
	aliveTime = 10 * time.Second // after which its process says so again
	lostTime  = 45 * time.Second // after which the process has died
)

// A Call is what is known of a call without what it prints.
type Call struct {
	// Process made it. Number tells its calls apart.
	Process string    `json:"process"`
	Number  int64     `json:"number"`
	Began   time.Time `json:"began"`

	ID     string `json:"id"`
	Parent string `json:"parent,omitempty"` // the call whose code made it
	Tool   string `json:"tool"`
	Client string `json:"client,omitempty"`

	Took  time.Duration  `json:"took"` // so far, if it is live
	State registry.State `json:"state"`
	// Seen is when the process said this to others.
	Seen time.Time `json:"seen"`

	// Input and Result are cut, and end in "..." then: after MaxText bytes if another process has made the call.
	Input  string    `json:"input"`
	Result string    `json:"result,omitempty"`
	Code   tool.Code `json:"code,omitempty"` // [tool.CodePending] if the call waits and no process has it
	Status string    `json:"status,omitempty"`
}

// Live reports whether a process has the call, which can be stopped then.
func (c *Call) Live() bool { return c.State != registry.Ended && c.Code == "" }

// Where says of what calls are.
type Where struct {
	// Project is that of their [registry.Env], by which the calls of this process are found.
	Project string
	// Scope is where they wait ([registry.Env].Waiting), by which processes share calls. Empty means that they do not.
	Scope string
}

// Shared returns calls of a scope by all processes, as these have told of them, the latest first. Those of processes
// that have died meanwhile have the code [tool.CodeUnknownOutcome]. A call that went on after it had waited is there
// once.
func (l *Log) Shared(ctx context.Context, scope string) ([]Call, error) {
	if l.records == nil || scope == "" {
		return nil, nil
	}
	data, err := l.records.Get(ctx, name(scope))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	list := decode(data)
	slices.Reverse(list)
	now, seen := time.Now(), map[string]bool{}
	for i := range list {
		switch c := &list[i]; {
		case !c.Live():
		case now.Sub(c.Seen) > lostTime:
			c.State, c.Code = registry.Ended, tool.CodeUnknownOutcome
			c.Status = "Its process has ended"
		default:
			c.Took = now.Sub(c.Began)
		}
	}
	return slices.DeleteFunc(list, func(c Call) bool {
		wentOn := seen[c.ID] && c.Code == tool.CodePending
		seen[c.ID] = true
		return wentOn
	}), nil
}

// others returns the calls that other processes share. Calls that were put off here and have gone on there are noted.
func (l *Log) others(ctx context.Context, of Where) ([]Call, error) {
	all, err := l.Shared(ctx, of.Scope)
	all = slices.DeleteFunc(all, func(c Call) bool { return c.Process == l.process })
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range slices.Backward(all) {
		own := l.byID[key{of.Project, c.ID}]
		if own != nil && own.stop == nil && own.State != registry.Ended && c.Began.After(own.Began) {
			l.size += len(c.Result) - len(own.Result)
			own.State, own.Took, own.Code, own.Status, own.Result = c.State, c.Took, c.Code, c.Status, c.Result
		}
	}
	return all, err
}

// List returns calls of which see, if it is not nil, reports that they may be seen, the latest first: at most so many
// of those of this process, and all that other processes share.
func (l *Log) List(ctx context.Context, of Where, most int, see func(Call) bool) ([]Call, error) {
	others, err := l.others(ctx, of)
	l.mu.Lock()
	defer l.mu.Unlock()
	var all []Call
	if l.of[of.Project] != nil {
		for _, c := range slices.Backward(l.calls) {
			if c.of.Project != of.Project || see != nil && !see(c.Call) {
				continue
			}
			if all = append(all, c.now()); len(all) == most {
				break
			}
		}
	}
	for _, c := range others {
		if l.byID[key{of.Project, c.ID}] == nil && (see == nil || see(c)) {
			all = append(all, c)
		}
	}
	slices.SortStableFunc(all, func(a, b Call) int { return b.Began.Compare(a.Began) })
	return all, err
}

// Find returns what is known of a call, and whether anything is.
func (l *Log) Find(ctx context.Context, of Where, id string) (Detail, bool, error) {
	others, err := l.others(ctx, of)
	l.mu.Lock()
	defer l.mu.Unlock()
	if c := l.byID[key{of.Project, id}]; c != nil {
		return c.detail(0), true, err
	}
	for _, c := range others {
		if c.ID == id {
			return Detail{Call: c, Elsewhere: true}, true, err
		}
	}
	return Detail{}, false, err
}

// Watch calls changed when calls of a scope may have changed, as [vfs.Records].Watch does.
func (l *Log) Watch(ctx context.Context, scope string, changed func()) error {
	own := name(scope)
	if l.records == nil {
		return errors.ErrUnsupported
	}
	return l.records.Watch(ctx, func(name string) {
		if name == "" || name == own {
			changed()
		}
	})
}

// Forget removes all calls, as their project is deleted: another one of its name has none of them.
func (l *Log) Forget(ctx context.Context, of Where) error {
	l.mu.Lock()
	for i, c := range slices.Backward(l.calls) {
		if c.of.Project == of.Project {
			l.drop(i)
		}
	}
	l.wake()
	l.mu.Unlock()
	if l.records == nil {
		return nil
	}
	return l.records.Change(ctx, name(of.Scope), 0, func([]byte) ([]byte, error) { return nil, nil })
}

// name is the name of the record of a scope.
func name(scope string) string {
	sum := sha256.Sum256([]byte(scope))
	return fmt.Sprintf("%x", sum[:16])
}

// A record is a line for each call, the oldest first. What is no call is left out: a newer version may have written it.
func decode(data []byte) (list []Call) {
	for line := range bytes.Lines(data) {
		var c Call
		if json.Unmarshal(line, &c) == nil && c.Process != "" {
			c.State = cmp.Or(c.State, registry.Ended) // of an older version
			list = append(list, c)
		}
	}
	return list
}

// A line is a call of a record, with what it is known and sorted by.
type line struct {
	process string
	number  int64
	began   time.Time
	text    []byte
}

func lineOf(c Call) line {
	text, _ := json.Marshal(c) // which has nothing that cannot be encoded
	return line{c.Process, c.Number, c.Began, text}
}

// linesOf takes a record apart. It decodes only lines of older versions: a record has hundreds, and changes with each
// call. A line that is damaged further on is left out when the record is read.
func linesOf(data []byte) (all []line) {
	for text := range bytes.Lines(data) {
		l := line{text: bytes.TrimSuffix(text, []byte("\n"))}
		if !l.read() {
			var c Call
			if json.Unmarshal(text, &c) != nil || c.Process == "" {
				continue
			}
			l = lineOf(c)
		}
		all = append(all, l)
	}
	return all
}

// read reads the first members of a line, if they are those of [Call].
func (l *line) read() bool {
	rest, ok := bytes.CutPrefix(l.text, []byte(`{"process":"`))
	process, rest, found := bytes.Cut(rest, []byte(`","number":`))
	number, rest, numbered := bytes.Cut(rest, []byte(`,"began":"`))
	began, _, ends := bytes.Cut(rest, []byte(`"`))
	if !ok || !found || !numbered || !ends || len(process) == 0 || bytes.ContainsAny(process, `"\`) {
		return false
	}
	var errs [2]error
	l.process = string(process)
	l.number, errs[0] = strconv.ParseInt(string(number), 10, 64)
	errs[1] = l.began.UnmarshalText(began)
	return errors.Join(errs[:]...) == nil
}

// add returns a record with what is new of some calls.
func add(data []byte, fresh []Call) []byte {
	list := linesOf(data)
	for _, c := range fresh {
		same := func(o line) bool { return o.process == c.Process && o.number == c.Number }
		if i := slices.IndexFunc(list, same); i >= 0 {
			list[i] = lineOf(c)
		} else {
			list = append(list, lineOf(c))
		}
	}
	slices.SortStableFunc(list, func(a, b line) int {
		return cmp.Or(a.began.Compare(b.began), cmp.Compare(a.process, b.process), cmp.Compare(a.number, b.number))
	})
	list = list[max(0, len(list)-Most):]
	size, from := 0, len(list)
	for from > 0 && size+len(list[from-1].text)+1 <= MaxBytes {
		from--
		size += len(list[from].text) + 1
	}
	record := make([]byte, 0, size)
	for _, l := range list[from:] {
		record = append(append(record, l.text...), '\n')
	}
	return record
}
