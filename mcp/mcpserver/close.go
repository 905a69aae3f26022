package mcpserver

import (
	"context"
	"slices"
	"sync"
)

// Shutdown lets no more calls begin, waits for those that run, or until the context ends, and closes all sessions. The calls
// that run when the context ends are stopped. The error is that of the context then. It may be called again.
func (s *Server) Shutdown(ctx context.Context) error {
	err := s.active.drain(ctx)
	s.stop()
	s.watch.close()
	var group sync.WaitGroup
	for _, session := range slices.Collect(s.sdk.Sessions()) {
		group.Go(func() { _ = session.Close() }) // there is nobody to tell
	}
	group.Wait()
	return err
}
