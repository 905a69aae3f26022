package quickjs

import (
	"maps"

	"github.com/tetratelabs/wazero/api"
)

// State is what a [VM] knows of its instance. Together with the instance's memory it is all that another one needs to go on from
// there: no other global changes, and neither do tables. It never changes, and is safe for concurrent use.
type State struct {
	runtime, context uint32 // JSRuntime*, JSContext*
	stackBase        uint32
	stackPointer     uint64
	names            map[string]uint32    // C strings in the instance
	modules          map[string]ModuleDef // by name
	unlinked         ModuleDef            // stands for modules that are not there yet
}

// State returns the present state. No call may be under way.
func (vm *VM) State() State {
	s := vm.state
	s.stackPointer = vm.stackPointer.Get()
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

// Resume returns a VM for an instance with the memory of another one, whose state it takes.
func Resume(instance api.Module, state State) (*VM, error) {
	vm, err := newVM(instance)
	if err != nil {
		return nil, err
	}
	vm.Reset(state)
	return vm, nil
}

// Reset takes a state that belongs to what is in the instance's memory now.
func (vm *VM) Reset(state State) {
	vm.state = state
	vm.names, vm.modules = nil, nil
	vm.leaf, vm.depth, vm.broken = false, 0, false
	vm.linking = false
	vm.stackPointer.Set(state.stackPointer)
}

// Stack returns where the C stack is, in the instance's memory.
func (vm *VM) Stack() (base, size uint32) { return vm.state.stackBase, StackSize }

// ForgetFunctions gives back the native stacks of the instance's functions, which stay as large as they have once been.
func (vm *VM) ForgetFunctions() { clear(vm.functions) }
