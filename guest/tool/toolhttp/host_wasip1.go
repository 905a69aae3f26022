package toolhttp

import "unsafe"

//go:wasmimport toolrun request
func hostRequest(head unsafe.Pointer, headSize uint32, body unsafe.Pointer, bodySize uint32) uint64

//go:wasmimport toolrun response
func hostResponse(number, milliseconds uint32) uint64

//go:wasmimport toolrun body
func hostBody(number uint32, to unsafe.Pointer, size, milliseconds uint32) uint64

//go:wasmimport toolrun close
func hostClose(number uint32)

//go:wasmimport toolrun result
func hostResult(to unsafe.Pointer, size uint32) uint32

const (
	statusFailed = 1
	statusEnd    = 2
)

// result reads what the last call has left.
func result(size uint32) []byte {
	data := make([]byte, size)
	for read := uint32(0); read < size; {
		n := hostResult(unsafe.Pointer(&data[read]), size-read)
		if n == 0 {
			return data[:read]
		}
		read += n
	}
	return data
}

// failed returns the error that an answer of the host stands for, or nil.
func failed(answer uint64) error {
	if answer>>32 != statusFailed {
		return nil
	}
	return &Error{string(result(uint32(answer)))}
}

func begin(head, body []byte) (number uint32, err error) {
	answer := hostRequest(unsafe.Pointer(unsafe.SliceData(head)), uint32(len(head)),
		unsafe.Pointer(unsafe.SliceData(body)), uint32(len(body)))
	return uint32(answer), failed(answer)
}

func response(number, milliseconds uint32) ([]byte, error) {
	answer := hostResponse(number, milliseconds)
	if err := failed(answer); err != nil {
		return nil, err
	}
	return result(uint32(answer)), nil
}

func read(number uint32, to []byte, milliseconds uint32) (n int, done bool, err error) {
	answer := hostBody(number, unsafe.Pointer(unsafe.SliceData(to)), uint32(len(to)), milliseconds)
	if err := failed(answer); err != nil {
		return 0, false, err
	}
	return int(uint32(answer)), answer>>32 == statusEnd, nil
}

func end(number uint32) { hostClose(number) }
