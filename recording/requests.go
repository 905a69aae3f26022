package recording

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/network"
)

// Network is what a recording has of the network that code could use: rules, and names of secrets, without the secrets.
type Network struct {
	Allow   []string `json:"allow"`
	Secrets []string `json:"secrets,omitempty"`
}

// NetworkOf returns what [Header].Network is for a gate, which can be nil.
func NetworkOf(gate network.Gate) *Network {
	if gate == nil || !gate.Policy().On() {
		return nil
	}
	n := &Network{}
	for _, r := range gate.Policy().Rules {
		n.Allow = append(n.Allow, r.String())
	}
	for _, s := range gate.Policy().Secrets {
		n.Secrets = append(n.Secrets, s.Name)
	}
	return n
}

// answerKey is which answer it is: of a kind, for a call of the code.
type answerKey struct {
	kind string
	call int
}

// tapedAnswer is what was asked, and the answer, which is nil if the run was over before there was one.
type tapedAnswer struct {
	about  string
	line   int
	answer json.RawMessage
}

// Answer implements runtime.Tape.
func (r *Recorder) Answer(_ context.Context, kind string, call int, about string, live func() []byte) ([]byte, error) {
	r.mu.Lock()
	r.write(&line{Kind: kindAsk, About: about, Tool: kind, Of: call})
	r.mu.Unlock()
	answer := live()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.write(&line{Kind: kindAnswered, Tool: kind, Of: call, Value: answer})
	return answer, nil
}

// Answer implements runtime.Tape. That the code makes the same calls, Number has seen to.
func (p *Player) Answer(ctx context.Context, kind string, call int, about string, _ func() []byte) ([]byte, error) {
	recorded, ok := p.of.answers[answerKey{kind, call}]
	if err := p.asked(recorded, ok, kind, about); err != nil {
		return nil, err
	}
	if recorded.answer == nil { // the run that was recorded was over before
		<-ctx.Done()
		return nil, ctx.Err()
	}
	return recorded.answer, nil
}

// asked returns the first difference, if there is one by now.
func (p *Player) asked(recorded tapedAnswer, ok bool, kind, about string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.first != nil {
		return p.first
	}
	if about = strings.ToValidUTF8(about, "\ufffd"); !ok || recorded.about == about { // as JSON has it
		return nil
	}
	return p.differ(recorded.line, "the %s of the run that was recorded was %s, and now it is %s",
		plaintext.Clean(kind, 50),
		plaintext.Clean(recorded.about, 300), plaintext.Clean(about, 300))
}

// Network returns a gate whose requests are recorded. Nil stays nil.
func (r *Recorder) Network(gate network.Gate) network.Gate {
	if gate == nil {
		return nil
	}
	return tapedGate{gate, r}
}

// Network returns a gate for the call, which makes no requests: their answers are in the recording. It is nil if the
// call had no network.
func (p *Player) Network() network.Gate {
	n := p.of.header.Network
	if n == nil {
		return nil
	}
	var policy network.Policy
	for _, text := range n.Allow {
		if rule, err := network.ParseRule(text); err == nil {
			policy.Rules = append(policy.Rules, rule)
		}
	}
	for _, name := range n.Secrets {
		policy.Secrets = append(policy.Secrets, network.Secret{Name: name})
	}
	return tapedGate{noGate{&policy}, p}
}

// tapedGate is a gate whose runs' usage is recorded, or played back. Package runtime has their responses recorded.
type tapedGate struct {
	network.Gate
	deck deck
}

// Run implements network.Gate.
func (g tapedGate) Run(name string) network.Run { return tapedRun{g.Gate.Run(name), g.deck} }

type tapedRun struct {
	network.Run
	deck deck
}

// Usage implements network.Run.
func (r tapedRun) Usage() network.Usage {
	used, err := ask(r.deck, kindUsage, "", func() (network.Usage, error) { return r.Run.Usage(), nil })
	if err != nil { // which the player knows
		return network.Usage{}
	}
	return used
}

// noGate makes no requests.
type noGate struct{ policy *network.Policy }

func (g noGate) Policy() *network.Policy { return g.policy }
func (noGate) Run(string) network.Run    { return noRun{} }

type noRun struct{}

func (noRun) Usage() network.Usage { return network.Usage{} }

func (noRun) Do(_ context.Context, request *network.Request) (*network.Response, error) {
	return nil, &network.Error{
		Kind:    network.KindNetwork,
		Message: fmt.Sprintf("%.200s: no requests are made while a recording is played back", request.URL),
	}
}
