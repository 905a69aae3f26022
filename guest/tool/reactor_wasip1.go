package tool

// call is what the host calls for each call of a tool that was compiled with -buildmode=c-shared.
//
//go:wasmexport toolrun_call
func call() int32 {
	if registered.call == nil {
		return int32(respond(func([]byte) ([]byte, error) { return nil, errNothing }))
	}
	return int32(respond(registered.call))
}

//go:wasmexport toolrun_describe
func describeTool() int32 {
	if registered.describe == nil {
		return int32(respond(func([]byte) ([]byte, error) { return nil, errNothing }))
	}
	return int32(respond(func([]byte) ([]byte, error) { return registered.describe() }))
}
