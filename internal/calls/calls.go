// Package calls lets processes that share a store see and stop each other's calls, such as a page in a browser those of
// commands and MCP servers:
//
//	log := calls.New(store, nil)
//	tools = tools.Using(log.Middleware)
//	defer log.Close()
//	latest, err := log.Latest(ctx, scope)
//
// Calls are kept beside projects, in the store's records: the latest [Most] of each scope, [MaxBytes] in all, for
// [Keep] after the last one. Others see them within a second or two, and [Log.Stop] reaches the process that runs one
// within two more. The records promise nothing: a process that dies loses its latest ones, and anyone who can write to
// the store can change them, and stop calls.
package calls

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
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

// A Call is a call as other processes see it.
type Call struct {
	// Process made it: see [Log.Process]. Number tells its calls apart.
	Process string `json:"process"`
	Number  int64  `json:"number"`

	ID     string `json:"id"`
	Parent string `json:"parent,omitempty"` // the call whose code made it
	Tool   string `json:"tool"`
	Client string `json:"client,omitempty"`

	Began time.Time      `json:"began"`
	Took  time.Duration  `json:"took"` // so far, if it is live
	State registry.State `json:"state"`
	// Seen is when the process said this.
	Seen time.Time `json:"seen"`

	// Input and Result are cut after MaxText bytes, and end in "..." then.
	Input  string    `json:"input"`
	Result string    `json:"result,omitempty"`
	Code   tool.Code `json:"code,omitempty"` // [tool.CodePending] if the call waits and no process has it
	Status string    `json:"status,omitempty"`
}

// Live reports whether a process has the call, which can be stopped then.
func (c *Call) Live() bool { return c.State != registry.Ended && c.Code == "" }

// Latest returns calls of a scope by all processes, the latest first. Those of processes that have died meanwhile have
// the code [tool.CodeUnknownOutcome]. A call that went on after it had waited is there once.
func (l *Log) Latest(ctx context.Context, scope string) ([]Call, error) {
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
		if c := &list[i]; c.Live() && now.Sub(c.Seen) > lostTime {
			c.State, c.Code = registry.Ended, tool.CodeUnknownOutcome
			c.Status = "Its process has ended"
		}
	}
	return slices.DeleteFunc(list, func(c Call) bool {
		wentOn := seen[c.ID] && c.Code == tool.CodePending
		seen[c.ID] = true
		return wentOn
	}), nil
}

// Watch calls changed when calls of a scope may have changed, as [vfs.Records].Watch does.
func (l *Log) Watch(ctx context.Context, scope string, changed func()) error {
	own := name(scope)
	return l.records.Watch(ctx, func(name string) {
		if name == "" || name == own {
			changed()
		}
	})
}

// Forget removes what is kept of a scope, as its project is deleted.
func (l *Log) Forget(ctx context.Context, scope string) error {
	return l.records.Change(ctx, name(scope), 0, func([]byte) ([]byte, error) { return nil, nil })
}

const kind = "calls"

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

// add returns a record with what is new of some calls.
func add(data []byte, fresh []Call) []byte {
	list := decode(data)
	for _, c := range fresh {
		same := func(o Call) bool { return o.Process == c.Process && o.Number == c.Number }
		if i := slices.IndexFunc(list, same); i >= 0 {
			list[i] = c
		} else {
			list = append(list, c)
		}
	}
	slices.SortStableFunc(list, func(a, b Call) int {
		return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.Process, b.Process), cmp.Compare(a.Number, b.Number))
	})
	list = list[max(0, len(list)-Most):]
	var lines [][]byte
	size := 0
	for _, c := range slices.Backward(list) {
		line, err := json.Marshal(c)
		if size += len(line) + 1; err != nil || size > MaxBytes {
			break
		}
		lines = append(lines, line)
	}
	slices.Reverse(lines)
	return append(bytes.Join(lines, []byte("\n")), '\n')
}

func newProcess() string { return rand.Text()[:16] }
