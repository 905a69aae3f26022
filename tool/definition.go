package tool

import (
	"encoding/json"
	"sync"

	"github.com/toolrun/toolrun/network"
)

// An Offer is the situation in which a model gets a tool.
type Offer struct {
	API     API
	Mode    Mode
	Options Options
	// NoProject means that the calls will have no files.
	NoProject bool
	// Network is which requests code can make, or nil if it has no network. Models may know of the hosts and of the
	// names of secrets.
	Network *network.Policy
	// Tools, if not nil, returns the definitions of the other tools that the model gets with this one, except invalid
	// ones. It is nil while the description is made for the Tools of another offer.
	Tools func() []*Definition
}

// A Definition is a tool as a model sees it, before package provider adapts it to a provider. It is immutable and safe
// for concurrent use.
type Definition struct {
	// Name, Title and Description are as in [Spec]; only MCP has a title.
	Name, Title, Description string
	// Input is the JSON Schema of the input, without white space. Output is that of Result.Data, or nil. Do not change
	// them.
	Input, Output json.RawMessage
	// TextOutput is as in [Spec].
	TextOutput  bool
	Annotations Annotations
	// Override, if not nil, is the whole definition of a tool that the API defines itself.
	Override json.RawMessage

	derived sync.Map
}

// Derive returns a value made from the definition, such as its form for a provider, and caches it under the key. The
// value must depend on the definition and the key alone. Errors are not cached.
func (d *Definition) Derive(key any, make func() (any, error)) (any, error) {
	if v, ok := d.derived.Load(key); ok {
		return v, nil
	}
	v, err := make()
	if err != nil {
		return nil, err
	}
	v, _ = d.derived.LoadOrStore(key, v)
	return v, nil
}
