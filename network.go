package toolrun

import (
	"strings"
	"sync"
	"time"

	"github.com/toolrun/toolrun/internal/net/egress"
	"github.com/toolrun/toolrun/network"
)

// gates are the gates of the projects of a runner. Sessions of one project share a gate, and so its connections and its
// requests a minute.
type gates struct {
	policy *network.Policy
	audit  func(network.Record)

	mu   sync.Mutex
	open map[any]*sharedGate // by project
}

type sharedGate struct {
	*egress.Gate
	rules string
	used  time.Time
}

// gateTime is how long an idle gate is kept: longer than the minute over which it counts requests.
const gateTime = 10 * time.Minute

// get returns the gate of a project that has some rules of its own, or nil if there is no network. key identifies the
// project, and name is for records.
func (g *gates) get(key any, name string, rules []network.Rule) (network.Gate, error) {
	if !g.policy.On() && len(rules) == 0 {
		return nil, nil
	}
	var own strings.Builder
	for _, r := range rules {
		own.WriteString(r.String() + "\n")
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	now := time.Now()
	if found := g.open[key]; found != nil && found.rules == own.String() {
		found.used = now
		return found.Gate, nil
	}
	for key, old := range g.open {
		if now.Sub(old.used) > gateTime {
			old.Close()
			delete(g.open, key)
		}
	}
	made, err := egress.New(egress.Options{Project: name, Policy: g.policy.With(rules...), Audit: g.audit})
	if err != nil {
		return nil, err
	}
	if old := g.open[key]; old != nil {
		old.Close() // what is in progress goes on
	}
	if g.open == nil {
		g.open = map[any]*sharedGate{}
	}
	g.open[key] = &sharedGate{made, own.String(), now}
	return made, nil
}

// drop forgets the gate of a project.
func (g *gates) drop(key any) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if old := g.open[key]; old != nil {
		old.Close()
		delete(g.open, key)
	}
}

// close ends all connections that are not in use.
func (g *gates) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, gate := range g.open {
		gate.Close()
	}
	g.open = nil
}
