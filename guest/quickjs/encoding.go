package quickjs

import "encoding/json"

// stateFields are what a State has, for its encoding.
type stateFields struct {
	Runtime, Context, StackBase uint32
	Names                       map[string]uint32
	Modules                     map[string]ModuleDef
	Unlinked                    ModuleDef
}

// MarshalJSON encodes the state for the same build of this package.
func (s State) MarshalJSON() ([]byte, error) {
	return json.Marshal(stateFields{s.runtime, s.context, s.stackBase, s.names, s.modules, s.unlinked})
}

// UnmarshalJSON decodes the output of MarshalJSON.
func (s *State) UnmarshalJSON(data []byte) error {
	var f stateFields
	err := json.Unmarshal(data, &f)
	*s = State{f.Runtime, f.Context, f.StackBase, f.Names, f.Modules, f.Unlinked}
	return err
}
