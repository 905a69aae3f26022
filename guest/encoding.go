package guest

import "encoding/json"

// stateFields are what a State has, for its encoding.
type stateFields struct {
	Runtime, Context, StackBase uint32
	StackPointer                uint64
	Names                       map[string]uint32
}

// MarshalJSON encodes the state for the same build of this package.
func (s State) MarshalJSON() ([]byte, error) {
	return json.Marshal(stateFields{s.runtime, s.context, s.stackBase, s.stackPointer, s.names})
}

// UnmarshalJSON decodes what MarshalJSON has encoded.
func (s *State) UnmarshalJSON(data []byte) error {
	var f stateFields
	err := json.Unmarshal(data, &f)
	*s = State{f.Runtime, f.Context, f.StackBase, f.StackPointer, f.Names}
	return err
}
