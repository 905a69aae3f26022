package runtime

import (
	"errors"
	"fmt"
	"strings"
)

// A CrashError means that the guest itself failed on the code of a run: the code met a bug in the guest. Only the
// run's memory is lost; the engine goes on with other runs. The message is for the author of the code.
//
// Failures of the host, such as a panic of a host function, are not CrashErrors.
type CrashError struct {
	// Trap is WebAssembly's reason, such as "out of bounds memory access".
	Trap string
	// Stack lists the guest's active functions, one a line. It is for the host's log, and may be empty.
	Stack string

	guest, advice string
}

func (e *CrashError) Error() string {
	text := fmt.Sprintf("the %s failed on this code, through a bug of its own (%s), and the run has ended.",
		e.guest, e.Trap)
	if e.advice != "" {
		text += " " + e.advice
	}
	return text
}

// stackOverflow is the trap of code that has used up wazero's own stack.
const stackOverflow = "stack overflow"

// asTrap takes the error of a call into the guest apart, if the guest has trapped: its code has done what WebAssembly
// does not allow. For anything else, panics of host functions included, it is false. wazero has no type for this, but
// adds a note of its own to a panic.
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
