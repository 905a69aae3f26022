package runtime

import (
	"errors"
	"fmt"
)

// Code of the host that a run calls (functions for scripts, file systems, methods of values) may panic, hang, or end
// its goroutine. None of that may keep the run from ending in time, or reach its caller.

// Await runs f on a separate goroutine and waits for it until the run ends; then it returns a [*Stop], as it does
// if f fails for that reason. If f panics, Await returns an error. f must not touch the guest, its memory or the
// instance: they may be gone, or serve another run, before f returns.
func Await[T any](r *Run, f func() (T, error)) (T, error) {
	return waitFor(r, nil, func(task func()) { go task() }, f)
}

// AwaitCall is [Await] for a call, which may have to wait for a person: see [Hold].
func AwaitCall[T any](c *Call, f func() (T, error)) (T, error) {
	return waitFor(c.run, c, func(task func()) { go task() }, f)
}

// AwaitInTurn is [Await] for many calls in sequence. They share one goroutine, whose stack need not grow each time.
func AwaitInTurn[T any](r *Run, f func() (T, error)) (T, error) {
	if r.tasks == nil {
		r.tasks = make(chan func())
		go work(r.tasks)
	}
	return waitFor(r, nil, func(task func()) {
		select {
		case r.tasks <- task:
		case <-r.ctx.Done():
		}
	}, f)
}

// work does tasks until there are no more. If one ends the goroutine, another one goes on.
func work(tasks <-chan func()) {
	ended := false
	defer func() {
		if !ended {
			go work(tasks)
		}
	}()
	for task := range tasks {
		task()
	}
	ended = true
}

// waitFor starts f and waits for it, as Await says.
func waitFor[T any](r *Run, c *Call, start func(func()), f func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	start(func() { Perform(f, func(value T, err error) { done <- result{value, err} }) })
	var holding <-chan struct{}
	if c != nil {
		holding = r.holding
	}
	for r.ctx.Err() == nil {
		resume := func() {}
		if c.Held() {
			resume = r.Pause()
		}
		select {
		case d := <-done:
			resume()
			if d.err == nil || r.ctx.Err() == nil {
				return d.value, d.err
			}
		case <-holding:
			resume()
		case <-r.ctx.Done():
			resume()
		}
	}
	var zero T
	return zero, &Stop{r.Interrupted()}
}

// Perform calls f, and then done with the results of f, or with an error if f panicked or ended its goroutine.
func Perform[T any](f func() (T, error), done func(T, error)) {
	var value T
	err := errors.New("has ended its goroutine")
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panicked: %v", p)
		}
		done(value, err)
	}()
	value, err = f()
}
