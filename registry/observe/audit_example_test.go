package observe_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/registry/observe"
)

func ExampleAudit() {
	now := time.Date(2025, 3, 1, 12, 0, 0, 0, time.UTC)
	options := &observe.AuditOptions{
		WholeInput: true,
		Now:        func() time.Time { now = now.Add(3 * time.Millisecond); return now },
	}
	r, err := registry.New(tools()...)
	if err != nil {
		panic(err)
	}
	r = r.Using(observe.Audit(os.Stdout, options)) // or a file that has been opened with os.O_APPEND
	r.Dispatch(context.Background(), callOf("greet"), registry.Env{Project: "notes"})
	// Output:
	// {"time":"2025-03-01T12:00:00.003Z","seq":1,"event":"call","tool":"greet","project":"notes","call":"call-1","durationMs":3,"outcome":"ok","inputBytes":14,"inputSha256":"88bab6d8f6dc68a877064d584cbb5b6c50e74f617ea50d81d3a53c2ee6ffbc4f","input":{"name":"Ada"},"outputBytes":11,"outputSha256":"332b9f815c75a303a42ad8a4b669e08e2272620a7e46e0ae0ba1972a5a36b5fa"}
}

func ExampleAuditOptions_required() {
	full := func(int) (int, error) { return 0, errors.New("no space left on device") }
	r, err := registry.New(tools()...)
	if err != nil {
		panic(err)
	}
	r = r.Using(observe.Audit(&faultyWriter{fail: full}, &observe.AuditOptions{Required: true}))
	result := r.Dispatch(context.Background(), callOf("greet"), registry.Env{})
	fmt.Println(result.Code)
	fmt.Println(result.Text())
	fmt.Println(result.Err)
	// Output:
	// not_recorded
	// The call was not made, since it cannot be recorded. Nothing is wrong with the call itself.
	// audit: call 1: no space left on device
}
