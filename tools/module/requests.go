package module

import (
	"context"
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/tools/code"
)

// requests makes those requests of a run that are granted, if the project's network allows them, too.
type requests struct {
	network.Run
	name  string
	rules []network.Rule
}

// network returns what makes the module's requests, or nil if it may make none.
func (t *moduleTool) network(env tool.Env) *requests {
	if len(t.rules) == 0 || !env.Options.Bool(OptionNetwork) {
		return nil
	}
	run := code.NetworkOf(env)
	if run == nil {
		return nil
	}
	return &requests{run, t.installed.Manifest.Name, t.rules}
}

// Do implements [network.Run]. Redirects are checked by the gate.
func (r *requests) Do(ctx context.Context, request *network.Request) (*network.Response, error) {
	method := strings.ToUpper(request.Method)
	if method == "" {
		method = "GET"
	}
	if rule, err := (&network.Policy{Rules: r.rules}).Allows(method, request.URL); err == nil && rule == nil {
		return nil, &network.Error{Kind: network.KindDenied,
			Message: fmt.Sprintf("%s %.200s is not among the requests that were granted to the tool %s",
				method, request.URL, r.name)}
	}
	request.Rules = r.rules
	return r.Run.Do(ctx, request)
}

// addTo adds what was used to what people see of the call.
func (r *requests) addTo(result *tool.Result) {
	if r == nil {
		return
	}
	if n := r.Usage().Requests; n > 0 {
		result.Status += fmt.Sprintf(", %d request%s", n, map[bool]string{false: "s"}[n == 1])
	}
}

// describeFor tells a model where the module makes requests to.
func (t *moduleTool) describeFor(offer tool.Offer) string {
	text := strings.TrimSpace(t.installed.Manifest.Description)
	if len(t.rules) == 0 || !offer.Options.Bool(OptionNetwork) || !offer.Network.On() {
		return text + "\n\nThis tool has no network here: what needs one fails."
	}
	return text + "\n\nThis tool makes requests to these hosts only, as far as they are allowed: " +
		code.Hosts(&network.Policy{Rules: t.rules}) + "."
}
