package code

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/toolrun/toolrun/network"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/tool"
)

// Network makes the requests of one run. A nil one makes none.
type Network struct{ network.Run }

// NetworkOf returns what makes the requests of a call's code, or nil if there is no network.
func NetworkOf(env tool.Env) *Network {
	if run := env.Network(); run != nil {
		return &Network{run}
	}
	return nil
}

// Do implements [network.Run]. The run's clock stands still while a person decides.
func (n *Network) Do(ctx context.Context, request *network.Request) (*network.Response, error) {
	ofRun := ctx
	return n.Run.Do(tool.WithPause(ctx, func() (resume func()) { return sandbox.Hold(ofRun) }), request)
}

// addTo adds what was used to what is said of the run.
func (n *Network) addTo(result *tool.Result) {
	if n == nil {
		return
	}
	used := n.Usage()
	if out, ok := result.Data.(Output); ok && used.Requests > 0 {
		out.Usage.Requests, out.Usage.Sent, out.Usage.Received = used.Requests, used.Sent, used.Received
		result.Data = out
	}
}

// environment returns the placeholders of the secrets that code can use, by name.
func environment(env tool.Env) map[string]string {
	if env.Policy == nil {
		return nil
	}
	values := map[string]string{}
	for _, s := range env.Policy.Secrets {
		values[s.Name] = s.Placeholder()
	}
	return values
}

// maxHosts is how many rules models are told of.
const maxHosts = 30

// Hosts tells models where code can make requests to, or returns "" if there is no network. Paths of rules are not for
// models: they can be secrets.
func Hosts(policy *network.Policy) string {
	if !policy.On() {
		return ""
	}
	var hosts []string
	for _, r := range policy.Rules {
		methods := "GET"
		switch {
		case len(r.Methods) == 1 && r.Methods[0] == "*":
			methods = "any method"
		case len(r.Methods) > 0:
			methods = strings.Join(r.Methods, ", ")
		}
		if host := fmt.Sprintf("%s (%s)", r.Address(), methods); !slices.Contains(hosts, host) {
			hosts = append(hosts, host)
		}
	}
	text := strings.Join(hosts[:min(len(hosts), maxHosts)], ", ")
	if more := len(hosts) - maxHosts; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// secrets tells models which secrets there are and for which hosts, or returns "".
func secrets(policy *network.Policy, variable func(name string) string) string {
	if !policy.On() {
		return ""
	}
	var texts []string
	for _, s := range policy.Secrets {
		texts = append(texts, fmt.Sprintf("%s for %s", variable(s.Name), strings.Join(s.Hosts, ", ")))
	}
	return strings.Join(texts, "; ")
}
