package quickjs

import (
	"maps"

	"github.com/tetratelabs/wazero/api"
)

// A State is what a [VM] knows of its instance. Together with the instance's memory, it is all that another
// instance needs to continue from there: no other global changes, and neither do tables. It is immutable and safe
// for concurrent use.
type State struct {
	runtime, context uint32 // JSRuntime*, JSContext*
	stackBase        uint32
	names            map[string]uint32    // C strings in the instance
	modules          map[string]ModuleDef // by name
	unlinked         ModuleDef            // stands for modules that are not there yet
}

// State returns the current state. No call may be in progress.
func (vm *VM) State() State {
	s := vm.state
	s.names = maps.Clone(vm.names)
	if s.names == nil {
		s.names = map[string]uint32{}
	}
	maps.Copy(s.names, vm.state.names)
	s.modules = maps.Clone(vm.modules)
	if s.modules == nil {
		s.modules = map[string]ModuleDef{}
	}
	maps.Copy(s.modules, vm.state.modules)
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
func (vm *VM) Stack() (base, size uint32) { return vm.state.stackBase, StackSize }

// ForgetFunctions frees the native stacks of the instance's functions, which otherwise stay as large as they have
// ever been.
func (vm *VM) ForgetFunctions() { clear(vm.functions) }
