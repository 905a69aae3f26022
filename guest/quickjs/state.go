package quickjs

import (
	"maps"

	"github.com/tetratelabs/wazero/api"
)

// A State is what a [VM] knows of its instance. Together with the instance's memory, it is all that another
// instance needs to continue from there. It can be encoded as JSON for the same build of this package. It is
// immutable and safe for concurrent use.
type State struct {
	Runtime, Context uint32 // JSRuntime*, JSContext*
	StackBase        uint32
	Names            map[string]uint32    // C strings in the instance
	Modules          map[string]ModuleDef // by name
	Unlinked         ModuleDef            // stands for modules that are not loaded yet
}

// State returns the current state. No call may be in progress.
func (vm *VM) State() State {
	s := vm.state
	s.Names, s.Modules = map[string]uint32{}, map[string]ModuleDef{}
	for _, names := range []map[string]uint32{vm.state.Names, vm.names} {
		maps.Copy(s.Names, names)
	}
	for _, modules := range []map[string]ModuleDef{vm.state.Modules, vm.modules} {
		maps.Copy(s.Modules, modules)
	}
	return s
}

// Resume returns a VM for an instance that has the memory of another, and that instance's state.
func Resume(instance api.Module, state State) (*VM, error) {
	vm, err := newVM(instance)
	if err != nil {
		return nil, err
	}
	vm.Reset(state)
	return vm, nil
}

// Reset sets the state that belongs to the current content of the instance's memory.
func (vm *VM) Reset(state State) {
	vm.state = state
	vm.names, vm.modules = nil, nil
	vm.leaf, vm.depth, vm.broken = false, 0, false
	vm.linking = false
}

// Stack returns the position of the C stack in the instance's memory.
func (vm *VM) Stack() (base, size uint32) { return vm.state.StackBase, stackSize }

// ForgetFunctions frees the native stacks of the instance's functions, which otherwise stay as large as they have
// ever been.
func (vm *VM) ForgetFunctions() { clear(vm.functions) }
