package main

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"unsafe"

	"github.com/toolrun/toolrun/guest/shell/internal/command"
)

//go:wasmimport toolrun call
func hostCall(tool unsafe.Pointer, toolSize uint32, input unsafe.Pointer, inputSize uint32) uint64

//go:wasmimport toolrun result
func hostResult(to unsafe.Pointer, size uint32) uint32

//go:wasmimport toolrun request
func hostRequest(head unsafe.Pointer, headSize uint32, body unsafe.Pointer, bodySize uint32) uint64

//go:wasmimport toolrun response
func hostResponse(number, milliseconds uint32) uint64

//go:wasmimport toolrun body
func hostBody(number uint32, to unsafe.Pointer, size, milliseconds uint32) uint64

//go:wasmimport toolrun close
func hostClose(number uint32)

// What the upper half of an answer says.
const (
	statusFailed = 1
	statusEnd    = 2
)

// turn is how long the host waits until other commands have their turn, in milliseconds.
const turn = 5

// outside is what the host grants.
type outside struct{}

// CallTool implements [command.Outside].
func (outside) CallTool(tool string, input []byte) ([]byte, error) {
	answer := hostCall(unsafe.Pointer(unsafe.StringData(tool)), uint32(len(tool)),
		unsafe.Pointer(unsafe.SliceData(input)), uint32(len(input)))
	return result(answer)
}

// result returns what the last call has left, or its error.
func result(answer uint64) ([]byte, error) {
	data := make([]byte, uint32(answer))
	for read := 0; read < len(data); {
		n := hostResult(unsafe.Pointer(&data[read]), uint32(len(data)-read))
		if n == 0 {
			return nil, errors.New("its result cannot be read")
		}
		read += int(n)
	}
	if answer>>32 == statusFailed {
		return nil, errors.New(string(data))
	}
	return data, nil
}

// Do implements [command.Outside].
func (outside) Do(ctx context.Context, request command.Request) (*command.Response, error) {
	head, err := json.Marshal(request)
	if err != nil {
		return nil, err
	}
	answer := hostRequest(unsafe.Pointer(unsafe.SliceData(head)), uint32(len(head)),
		unsafe.Pointer(unsafe.SliceData(request.Body)), uint32(len(request.Body)))
	if answer>>32 == statusFailed {
		_, err := result(answer)
		return nil, err
	}
	number := uint32(answer)
	for {
		head, err := result(hostResponse(number, turn))
		if err != nil {
			return nil, err
		}
		if len(head) > 0 {
			response := &command.Response{Body: &body{ctx: ctx, number: number}}
			if err := json.Unmarshal(head, response); err != nil {
				hostClose(number)
				return nil, err
			}
			return response, nil
		}
		runtime.Gosched()
		if err := ctx.Err(); err != nil {
			hostClose(number)
			return nil, err
		}
	}
}

// body is the body of a response.
type body struct {
	ctx    context.Context
	number uint32
	err    error
}

func (b *body) Read(data []byte) (int, error) {
	for b.err == nil && len(data) > 0 {
		answer := hostBody(b.number, unsafe.Pointer(unsafe.SliceData(data)), uint32(len(data)), turn)
		if answer>>32 == statusFailed {
			_, b.err = result(answer)
			return 0, b.err
		}
		if answer>>32 == statusEnd {
			b.err = io.EOF
		}
		if n := int(uint32(answer)); n > 0 {
			return n, nil
		}
		runtime.Gosched()
		if b.err == nil {
			b.err = b.ctx.Err()
		}
	}
	return 0, b.err
}

func (b *body) Close() error {
	if b.err != io.EOF {
		hostClose(b.number)
	}
	b.err = io.ErrClosedPipe
	return nil
}
