package mcpclient

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
)

// An eventReader filters a stream of server-sent events.
//
// https://html.spec.whatwg.org/multipage/server-sent-events.html
type eventReader struct {
	body   io.ReadCloser
	in     *bufio.Reader
	filter *filter
	// fail receives the error that ends the stream.
	fail func(error)

	line    []byte
	pending bytes.Buffer
}

func newEventReader(body io.ReadCloser, f *filter, fail func(error)) io.ReadCloser {
	return &eventReader{body: body, in: bufio.NewReaderSize(body, 16<<10), filter: f, fail: fail}
}

// Close closes the body.
func (r *eventReader) Close() error { return r.body.Close() }

// Read returns whole events.
func (r *eventReader) Read(p []byte) (int, error) {
	for r.pending.Len() == 0 {
		r.pending = bytes.Buffer{} // frees the memory of a large event
		if err := r.event(); err != nil {
			if _, ok := errors.AsType[*tooLargeError](err); ok {
				r.fail(err)
			}
			return 0, err
		}
	}
	return r.pending.Read(p)
}

// Limits on the delay that a server may demand before its stream is requested again, in milliseconds.
const (
	minRetry = 500
	maxRetry = 60_000
)

// maxField limits the fields of an event other than its data, in bytes.
const maxField = 1000

// event reads an event and appends the filtered one to pending.
func (r *eventReader) event() error {
	var name, id, retry string
	var data []byte
	for size := 0; ; {
		line, err := readLine(r.in, r.line, r.filter.limit-size)
		if err != nil { // an incomplete event is dropped
			if _, ok := errors.AsType[*tooLargeError](err); ok {
				err = &tooLargeError{r.filter.limit}
			}
			return err
		}
		r.line = line[:0]
		size += len(line) + 1
		if len(line) == 0 {
			break
		}
		field, value, _ := bytes.Cut(line, []byte{':'})
		value = bytes.TrimPrefix(value, []byte{' '})
		if string(field) != "data" && len(value) > maxField {
			continue // ids are stored and sent back
		}
		switch string(field) {
		case "event":
			name = string(value)
		case "id":
			id = string(value)
		case "retry":
			retry = string(value)
		case "data":
			if data != nil {
				data = append(data, '\n')
			}
			data = append(data, value...)
		}
	}
	if name == "" || name == "message" {
		if data = bytes.TrimSpace(data); len(data) > 0 {
			data = r.filter.message(data)
		}
	} else if len(data) > 1000 || bytes.ContainsAny(data, "\r\n") {
		return nil // the only other kind of event contains an address
	}
	if len(data) == 0 && id == "" {
		return nil
	}
	if name != "" {
		fmt.Fprintf(&r.pending, "event: %s\n", name)
	}
	if id != "" {
		fmt.Fprintf(&r.pending, "id: %s\n", id)
	}
	if ms, err := strconv.Atoi(retry); err == nil {
		fmt.Fprintf(&r.pending, "retry: %d\n", min(max(ms, minRetry), maxRetry))
	}
	if len(data) > 0 {
		r.pending.WriteString("data: ")
		r.pending.Write(data)
		r.pending.WriteByte('\n')
	}
	r.pending.WriteByte('\n')
	return nil
}
