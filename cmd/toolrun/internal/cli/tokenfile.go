package cli

import (
	"context"
	"log/slog"
	"os"
	"time"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/mcphttp"
)

// A tokenFile is a file of tokens that can change while a server runs.
type tokenFile struct {
	name   string
	logger *slog.Logger
	info   os.FileInfo // when it was read
}

func (f *tokenFile) read() ([]*mcphttp.Token, error) {
	f.info, _ = os.Stat(f.name) // before it is read, so that no change is missed
	return readTokens(f.name)
}

// watch calls again when the file has changed, and after SIGHUP, until the context ends. again calls read.
func (f *tokenFile) watch(ctx context.Context, again func() error) {
	hangups, stop := hangups()
	defer stop()
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
		case <-ticker.C:
			info, err := os.Stat(f.name)
			if err != nil && f.info == nil || err == nil && f.info != nil && os.SameFile(info, f.info) &&
				info.ModTime().Equal(f.info.ModTime()) && info.Size() == f.info.Size() {
				continue
			}
		}
		if err := again(); err != nil {
			f.logger.Error("the tokens cannot be read, and those before stay", "error", err)
		}
	}
}
