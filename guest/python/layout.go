package python

// Offsets in CPython's objects, where pointers have 32 bits. They are the same in 3.11 and 3.12. What can differ
// between builds is read from the objects themselves.
//
// See object.h, bytesobject.h and object.h of https://github.com/python/cpython/tree/v3.12.0/Include/cpython.
const (
	objectType = 4 // PyTypeObject*

	typeBasicSize        = 16 // u32: the size of an object
	typeVectorcallOffset = 28 // u32: where in a callable object its function is, as an index of the table

	bytesSize = 8  // u32: the number of bytes
	bytesData = 16 // the bytes

	// Of a BufferedWriter, whose struct is in Modules/_io/bufferedio.c.
	bufferedData  = 48 // char*: the buffer
	bufferedBegin = 80 // i64: where in the buffer what has not been written begins
	bufferedEnd   = 88 // i64: where it ends; less than that if there is nothing

	functionMinSize = 48 // of a function object; there is more in every version
	functionMaxSize = 128
)
