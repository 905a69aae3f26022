package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/mcphttp"
)

// A tokenFile is a file of tokens that can change while a server runs.
type tokenFile struct {
	host   *Host
	name   string
	logger *slog.Logger
	info   os.FileInfo // when it was read
}

func (f *tokenFile) read() ([]*mcphttp.Token, error) {
	f.info, _ = f.host.stat(f.name) // before it is read, so that no change is missed
	return f.host.readTokens(f.name)
}

// watch begins to call again when the file has changed, and after SIGHUP, until the context ends. again calls read.
func (f *tokenFile) watch(ctx context.Context, again func() error) {
	hangups, stop := f.host.hangups()
	go func() {
		defer stop()
		f.follow(ctx, hangups, again)
	}()
}

func (f *tokenFile) follow(ctx context.Context, hangups <-chan os.Signal, again func() error) {
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-hangups:
		case <-ticker.C:
			info, err := f.host.stat(f.name)
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

// addToken adds a token to a file of tokens, which it makes if there is none. Servers that read the file meanwhile see
// all of the old one or all of the new one.
func (h *Host) addToken(name string, entry mcphttp.Token) error {
	var file struct {
		Tokens []json.RawMessage `json:"tokens"`
	}
	mode := fs.FileMode(0o600)
	name = h.path(name)
	if real, err := filepath.EvalSymlinks(name); err == nil {
		name = real // a link stays one
		tokens, err := h.readTokens(name)
		if err != nil {
			return err
		}
		if slices.ContainsFunc(tokens, func(t *mcphttp.Token) bool { return t.Name == entry.Name }) {
			return fmt.Errorf("%s has a token named %s already; give another name with --name", name, entry.Name)
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(data, &file); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		info, err := os.Stat(name)
		if err != nil {
			return err
		}
		mode = info.Mode().Perm()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	added, err := json.Marshal(entry)
	if err != nil {
		return err
	}
	file.Tokens = append(file.Tokens, added)
	data, err := json.MarshalIndent(file, "", "  ")
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".toolrun-tokens-*")
	if err != nil {
		return err
	}
	_, err = f.Write(append(data, '\n'))
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
