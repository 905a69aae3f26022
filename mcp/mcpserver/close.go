package mcpserver

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Shutdown refuses new calls, waits for running ones until the context ends, and closes all sessions. If the
// context ends first, it stops the calls that still run and returns the context's error. It can be called again.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.active.drain(ctx)
	s.stop()
	s.watch.close()
	// When a session is being closed, the SDK sends nothing any more.
	for last := time.Now().Add(lastAnswers); s.unanswered.Load() > 0 && time.Now().Before(last); {
		time.Sleep(time.Millisecond)
	}
	var group sync.WaitGroup
	for _, session := range slices.Collect(s.sdk.Sessions()) {
		group.Go(func() { _ = session.Close() }) // there is nobody to tell
	}
	closed := make(chan struct{})
	go func() {
		group.Wait()
		close(closed)
	}()
	select {
	case <-closed:
	case <-time.After(lastAnswers): // a client does not take its answers, and its session ends when its connection does
	}
	return err
}

// lastAnswers is how long a client may take to get an answer that is there when its session is closed.
const lastAnswers = time.Second
