package javascript

import "github.com/toolrun/toolrun/runtime/script"

// A Result is the output and usage of a run.
//
//   - Text shows strings raw, plain data as two-space JSON, and everything else as a console does (undefined, NaN, 10n,
//     Map(1) {...}, [Function: f]). It is empty after halt.
//   - Value has no int64: numbers are float64, and a BigInt is its decimal digits. Buffers are []byte. Values that
//     JSON.stringify omits are omitted, and what it refuses (cycles) is nil.
//   - State is nil if the script has ended by process.exit, or while calls of asynchronous functions had not returned.
type Result = script.Result
