package runtime

import (
	"errors"
	"fmt"
	"strings"
)

// CrashError says that the guest itself has failed on the code of a run: it has a bug, which the code ran into. The run's
// memory is lost, and nobody else's; the engine goes on with other runs. The message is for the author of the code.
//
// What fails because of the host, such as a panic of a host function, is no CrashError.
type CrashError struct {
	// Trap is what WebAssembly says of it, such as "out of bounds memory access".
	Trap string
	// Stack has the functions of the guest that were under way, one a line. It is for the host's log, and may be empty.
	Stack string

	guest, advice string
}

func (e *CrashError) Error() string {
	text := fmt.Sprintf("the %s failed on this code, through a bug of its own (%s), and the run has ended.", e.guest, e.Trap)
	if e.advice != "" {
		text += " " + e.advice
	}
	return text
}

// stackOverflow is the trap of code that has used up wazero's own stack.
const stackOverflow = "stack overflow"

// asTrap takes the error of a call into the guest apart, if the guest has trapped: its code has done what WebAssembly does not allow. For
// anything else, panics of host functions included, it is false. wazero has no type for this, but adds a note of its own to a panic.
func asTrap(err error) (trap, stack string, ok bool) {
	if err != nil && err.Error() == stackOverflow { // in compiled code it has nothing else
		return stackOverflow, "", true
	}
	cause := errors.Unwrap(err)
	if cause == nil {
		return "", "", false
	}
	stack, ok = strings.CutPrefix(err.Error(), "wasm error: "+cause.Error()+"\nwasm stack trace:")
	return cause.Error(), strings.TrimSpace(stack), ok
}
