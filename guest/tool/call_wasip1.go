package tool

import "unsafe"

//go:wasmimport toolrun call
func hostCall(tool unsafe.Pointer, toolSize uint32, input unsafe.Pointer, inputSize uint32) uint64

//go:wasmimport toolrun result
func hostResult(to unsafe.Pointer, size uint32) uint32

// callHost makes a call, and reports whether it succeeded.
func callHost(tool string, input []byte) (result []byte, ok bool) {
	answer := hostCall(unsafe.Pointer(unsafe.StringData(tool)), uint32(len(tool)),
		unsafe.Pointer(unsafe.SliceData(input)), uint32(len(input)))
	result = make([]byte, uint32(answer))
	for read := 0; read < len(result); {
		n := hostResult(unsafe.Pointer(&result[read]), uint32(len(result)-read))
		if n == 0 {
			return []byte("its result cannot be read"), false
		}
		read += int(n)
	}
	return result, answer>>32 == 0
}
