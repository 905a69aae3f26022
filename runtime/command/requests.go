package command

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync/atomic"
	"time"

	"github.com/tetratelabs/wazero/api"

	"github.com/toolrun/toolrun/internal/net/responses"
	"github.com/toolrun/toolrun/network"
	sandbox "github.com/toolrun/toolrun/runtime"
)

// The functions that a module can import to make requests, from callsModule. A call of result gives the text of an
// error and what response has.
const (
	requestFunction  = "request"  // (head, its size, body, its size) -> status << 32 | number
	responseFunction = "response" // (number, milliseconds) -> status << 32 | size of the head
	bodyFunction     = "body"     // (number, to, size, milliseconds) -> status << 32 | how much was copied
	closeFunction    = "close"    // (number)
)

// Limits on requests, beside those of the network.
const (
	maxHead = 1 << 20
	// maxOpen is how many requests of a run can be open, and maxSending how many bytes their bodies can have together
	// until there are responses.
	maxOpen    = 100
	maxSending = 32 << 20
	// bodyPart is how many bytes of a response are copied at once.
	bodyPart = 128 << 10
)

// statusEnd is the status of a part of a response behind which there is nothing.
const statusEnd = 2

var requestImports = []sandbox.Import{
	{Module: callsModule, Name: requestFunction, Call: makeRequest,
		Params:  []api.ValueType{api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32},
		Results: []api.ValueType{api.ValueTypeI64}},
	{Module: callsModule, Name: responseFunction, Call: awaitResponse,
		Params:  []api.ValueType{api.ValueTypeI32, api.ValueTypeI32},
		Results: []api.ValueType{api.ValueTypeI64}},
	{Module: callsModule, Name: bodyFunction, Call: readBody,
		Params:  []api.ValueType{api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32, api.ValueTypeI32},
		Results: []api.ValueType{api.ValueTypeI64}},
	{Module: callsModule, Name: closeFunction, Call: closeRequest,
		Params: []api.ValueType{api.ValueTypeI32}},
}

// requests are the requests of one run. All but what a request of its own goroutine sets is for the run's goroutine.
type requests struct {
	table   *responses.Table
	open    map[uint32]*request
	last    uint32
	sending atomic.Int64
}

// request is one that has not been read to its end.
type request struct {
	call *sandbox.Call
	done chan struct{} // is closed when head or err is there
	head []byte
	err  error
}

var errNoRequest = errors.New("there is no such request: it has been read to its end, or closed")

// requests returns those of the run, or an error if it may make none.
func (d *driver) requests() (*requests, error) {
	if d.made == nil {
		if d.host.Network == nil {
			return nil, errors.New("there is no network for this module: whoever runs it must " +
				"grant it the network and allow hosts, as in --grant network and --allow 'GET https://example.com/**'")
		}
		d.made = &requests{table: responses.New(d.host.Network), open: map[uint32]*request{}}
	}
	return d.made, nil
}

// answer sets what a host function returns. The text of an error is for readResult.
func (d *driver) answer(stack []uint64, status uint64, value int, err error) {
	if stop, ok := errors.AsType[*sandbox.Stop](err); ok {
		panic(stop)
	}
	if err != nil {
		d.result = []byte(err.Error())
		status, value = statusFailed, len(d.result)
	}
	stack[0] = status<<32 | uint64(uint32(value))
}

// makeRequest begins a request.
func makeRequest(_ context.Context, in *sandbox.Instance, stack []uint64) {
	d := in.Driver().(*driver)
	d.result = nil
	number, err := d.makeRequest(stack)
	d.answer(stack, 0, int(number), err)
}

func (d *driver) makeRequest(stack []uint64) (uint32, error) {
	r, err := d.requests()
	if err != nil {
		return 0, err
	}
	head, err := d.read(stack[0], stack[1], maxHead, "the head of the request")
	if err != nil {
		return 0, err
	}
	made, err := parseHead(head)
	if err != nil {
		return 0, err
	}
	size := int64(api.DecodeU32(stack[3]))
	switch {
	case len(r.open) >= maxOpen:
		return 0, fmt.Errorf("%d requests are open: read their responses to the end, or close them", maxOpen)
	case r.sending.Load()+size > maxSending:
		return 0, fmt.Errorf("the bodies of requests in progress can have %d bytes together: "+
			"send less at a time", maxSending)
	case r.last == math.MaxInt32:
		return 0, errors.New("there were too many requests in this run")
	}
	if size > 0 {
		if made.Body, err = d.read(stack[2], stack[3], maxSending, "the body of the request"); err != nil {
			return 0, err
		}
	}
	d.in.SetImpure()
	r.last++
	number, opened := r.last, r.table.Open(int64(r.last))
	q := &request{call: d.in.Run().NewCall(), done: make(chan struct{})}
	r.open[number] = q
	r.sending.Add(size)
	go sandbox.Perform(func() ([]byte, error) {
		got, err := opened.Begin(q.call.Context(), made, 0)
		if err != nil {
			return nil, err
		}
		return encodeHead(got)
	}, func(head []byte, err error) {
		q.head, q.err = head, err
		r.sending.Add(-size)
		close(q.done)
	})
	return number, nil
}

// parseHead reads what a module says of a request.
func parseHead(data []byte) (*network.Request, error) {
	var head struct {
		Method   string      `json:"method"`
		URL      string      `json:"url"`
		Headers  [][2]string `json:"headers"`
		Redirect string      `json:"redirect"`
	}
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&head); err != nil {
		return nil, fmt.Errorf(`the head of the request is not JSON such as {"method":"GET",`+
			`"url":"https://example.com/","headers":[["accept","*/*"]]}: %w`, err)
	}
	switch head.Redirect {
	case "", "follow", "error", "manual":
	default:
		return nil, fmt.Errorf("redirect is %.40q, and must be follow, error or manual", head.Redirect)
	}
	made := &network.Request{Method: head.Method, URL: head.URL, Redirect: head.Redirect}
	for _, field := range head.Headers {
		f, err := responses.NewField(field[0], field[1])
		if err != nil {
			return nil, err
		}
		made.Header = append(made.Header, f)
	}
	return made, nil
}

// encodeHead makes what a module gets of a response. A byte of a header is the character with its number.
func encodeHead(got *network.Response) ([]byte, error) {
	headers := make([][2]string, len(got.Header))
	for i, field := range got.Header {
		headers[i] = [2]string{responses.Text(field.Name), responses.Text(field.Value)}
	}
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(struct {
		Status     int         `json:"status"`
		StatusText string      `json:"statusText"`
		URL        string      `json:"url"`
		Redirected bool        `json:"redirected"`
		Headers    [][2]string `json:"headers"`
	}{got.Status, responses.Text(got.StatusText), got.URL, got.Redirected, headers})
	return b.Bytes(), err
}

// awaitResponse waits for a response to begin, and keeps its head for readResult.
func awaitResponse(_ context.Context, in *sandbox.Instance, stack []uint64) {
	d := in.Driver().(*driver)
	d.result = nil
	head, err := d.awaitResponse(api.DecodeU32(stack[0]), patience(stack[1]))
	d.result = head
	d.answer(stack, 0, len(head), err)
}

// patience is how long a module wants to wait: for ever, if that is negative.
func patience(milliseconds uint64) time.Duration {
	return time.Duration(api.DecodeI32(milliseconds)) * time.Millisecond
}

func (d *driver) awaitResponse(number uint32, most time.Duration) ([]byte, error) {
	q := d.opened(number)
	if q == nil {
		return nil, errNoRequest
	}
	begun, err := sandbox.AwaitCall(q.call, func() (bool, error) { return q.wait(most), nil })
	if err != nil || !begun {
		return nil, err
	}
	if q.err != nil {
		d.close(number)
		return nil, q.err
	}
	if err := d.in.Spend(len(q.head)); err != nil {
		return nil, err
	}
	return q.head, nil
}

// opened returns a request, or nil.
func (d *driver) opened(number uint32) *request {
	if d.made == nil {
		return nil
	}
	return d.made.open[number]
}

// wait waits for the response to begin, and reports whether it has. The run's end ends it.
func (q *request) wait(most time.Duration) bool {
	if most < 0 {
		<-q.done
		return true
	}
	timer := time.NewTimer(most)
	defer timer.Stop()
	select {
	case <-q.done:
		return true
	case <-timer.C:
	}
	return false
}

// readBody copies what comes next of a response. Without anything to copy it waits.
func readBody(_ context.Context, in *sandbox.Instance, stack []uint64) {
	d := in.Driver().(*driver)
	d.result = nil
	copied, done, err := d.readBody(stack)
	status := uint64(0)
	if done {
		status = statusEnd
	}
	d.answer(stack, status, copied, err)
}

func (d *driver) readBody(stack []uint64) (copied int, done bool, err error) {
	number := api.DecodeU32(stack[0])
	q := d.opened(number)
	if q == nil {
		return 0, false, errNoRequest
	}
	select {
	case <-q.done:
	default:
		return 0, false, errors.New("the response has not begun: wait for it with response")
	}
	if q.err != nil {
		d.close(number)
		return 0, false, q.err
	}
	at, size := api.DecodeU32(stack[1]), min(api.DecodeU32(stack[2]), bodyPart)
	if _, ok := d.in.Module().Memory().Read(at, size); !ok {
		return 0, false, errors.New("the place for the response is not within the memory")
	}
	if size == 0 {
		return 0, false, nil
	}
	table, most := d.made.table, patience(stack[3])
	type part struct {
		data []byte
		done bool
	}
	got, err := sandbox.Await(d.in.Run(), func() (part, error) {
		data, done, err := table.ReadWithin(int64(number), int(size), most)
		return part{data, done}, err
	})
	if err != nil || got.done {
		d.close(number)
	}
	if err != nil {
		return 0, false, err
	}
	to, _ := d.in.Module().Memory().Read(at, uint32(len(got.data))) // no guest has run since
	for data := got.data; len(data) > 0; {
		n := min(len(data), sandbox.PieceSize)
		if err := d.in.Spend(n); err != nil {
			return 0, false, err
		}
		copy(to[:n], data)
		to, data = to[n:], data[n:]
	}
	return len(got.data), got.done, nil
}

// closeRequest ends a request, in whatever state it is.
func closeRequest(_ context.Context, in *sandbox.Instance, stack []uint64) {
	in.Driver().(*driver).close(api.DecodeU32(stack[0]))
}

func (d *driver) close(number uint32) {
	if d.opened(number) != nil {
		delete(d.made.open, number)
		d.made.table.End(int64(number))
	}
}
