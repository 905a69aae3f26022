package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/tool"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// A changing tool does what a test wants.
func changing(name string, do func(ctx context.Context, env tool.Env) error) tool.Tool {
	return tool.Func(tool.Spec{
		Name: name, Description: "Changes files.", Timeout: 100 * time.Millisecond,
		Options: []tool.Option{{ID: tool.OptionRollback, Type: tool.OptionBool}},
	}, func(ctx context.Context, _ struct{}, env tool.Env) (string, error) { return "done", do(ctx, env) })
}

func TestRollback(t *testing.T) {
	store := local.NewMemoryStore(nil)
	write := func(files afero.Fs, name, text string) error {
		return vfs.WriteFile(t.Context(), files, name, []byte(text))
	}
	failure := errors.New("it failed")
	inner := changing("inner", func(_ context.Context, env tool.Env) error {
		return errors.Join(write(env.Files, "/b", "inner"), env.Files.Remove("/old"))
	})
	for name, c := range map[string]struct {
		do    func(ctx context.Context, env tool.Env) error
		off   bool
		files string // afterwards
		note  string
	}{
		"what succeeds stays": {
			do:    func(_ context.Context, env tool.Env) error { return write(env.Files, "/a", "1") },
			files: `{"/a":"1","/old":"old"}`,
		},
		"what fails does not": {
			do: func(_ context.Context, env tool.Env) error {
				return errors.Join(write(env.Files, "/a", "1"), write(env.Files, "/old", "2"), env.Files.Rename("/a",
					"/c"), failure)
			},
			files: `{"/old":"old"}`, note: "all changes that the call made to files were undone",
		},
		"without the option it does": {
			do: func(_ context.Context, env tool.Env) error {
				return errors.Join(write(env.Files, "/a", "1"), failure)
			},
			off: true, files: `{"/a":"1","/old":"old"}`,
		},
		"nothing was changed": {
			do:    func(context.Context, tool.Env) error { return failure },
			files: `{"/old":"old"}`,
		},
		"calls that it made": {
			do: func(ctx context.Context, env tool.Env) error {
				if result := env.Dispatch(ctx, tool.Call{Tool: "inner"}); result.IsError() {
					return result.Err
				}
				return errors.Join(write(env.Files, "/a", "1"), failure)
			},
			files: `{"/old":"old"}`, note: "all changes that the call made to files were undone",
		},
		"what is stopped": {
			do: func(ctx context.Context, env tool.Env) error {
				err := write(env.Files, "/a", "1")
				<-ctx.Done()
				return errors.Join(err, ctx.Err())
			},
			files: `{"/old":"old"}`, note: "all changes that the call made to files were undone",
		},
		"panics": {
			do: func(_ context.Context, env tool.Env) error {
				_ = write(env.Files, "/a", "1")
				panic("no")
			},
			files: `{"/old":"old"}`, note: "all changes that the call made to files were undone",
		},
		"what others have changed since": {
			do: func(_ context.Context, env tool.Env) error {
				p, err := store.Open(context.Background(), t.Name()+"/what others have changed since")
				if err != nil {
					return err
				}
				return errors.Join(write(env.Files, "/a", "1"), write(p, "/a", "2"), p.Close(), failure)
			},
			files: `{"/a":"2","/old":"old"}`, note: "could not be undone, and stay",
		},
		"what has been purged meanwhile": {
			do: func(ctx context.Context, env tool.Env) error {
				p, err := store.Open(context.Background(), t.Name()+"/what has been purged meanwhile")
				if err != nil {
					return err
				}
				err = errors.Join(write(env.Files, "/a", "1"), write(env.Files, "/old", "2"))
				_, purgeErr := p.Purge(ctx, "/old", nil)
				return errors.Join(err, purgeErr, p.Close(), failure)
			},
			files: `{"/old":"2"}`, note: "were undone, except for /old: what was there before has been purged",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := store.Open(t.Context(), "TestRollback/"+name)
			require.NoError(t, err)
			defer p.Close()
			old := p.WithCall("call_1") // which has the same id
			require.NoError(t, write(old, "/old", "old"))
			old.EndCall()
			tools, err := registry.New(changing("outer", c.do), inner)
			require.NoError(t, err)
			env := registry.Env{Files: p}
			env.Selection = env.Selection.WithOption("outer", tool.OptionRollback, !c.off)
			result := tools.Dispatch(t.Context(), tool.Call{ID: "call_1", Tool: "outer"}, env)
			require.Contains(t, result.Text(), c.note)
			if c.note == "" {
				require.NotContains(t, result.Text(), "undone")
			}
			files := map[string]string{}
			infos, err := afero.ReadDir(p, "/")
			require.NoError(t, err)
			for _, info := range infos {
				content, err := afero.ReadFile(p, "/"+info.Name())
				require.NoError(t, err)
				files["/"+info.Name()] = string(content)
			}
			text, err := json.Marshal(files)
			require.NoError(t, err)
			require.JSONEq(t, c.files, string(text))
		})
	}
}

// TestRollbackWithoutHistory: a call that could not be undone is not made.
func TestRollbackWithoutHistory(t *testing.T) {
	store := local.NewMemoryStore(&vfs.Options{History: vfs.HistoryOptions{Off: true}})
	p, err := store.Open(t.Context(), "p")
	require.NoError(t, err)
	defer p.Close()
	made := 0
	tools, err := registry.New(changing("outer", func(_ context.Context, env tool.Env) error {
		made++
		return nil
	}))
	require.NoError(t, err)
	mounted, err := vfs.OpenMounts(p, "p", []vfs.Mount{{Path: "/m", Project: "other"}},
		func(m vfs.Mount) (vfs.Project, error) { return store.Open(t.Context(), m.Project) })
	require.NoError(t, err)
	defer mounted.Close()
	for name, files := range map[string]afero.Fs{
		"a project": p, "with others mounted": mounted, "a view": vfs.ReadOnly(p, "/memories"),
		"a part": vfs.Sub(p, "/"),
	} {
		t.Run(name, func(t *testing.T) {
			env := registry.Env{Files: files}
			env.Selection = env.Selection.WithOption("outer", tool.OptionRollback, true)
			result := tools.Dispatch(t.Context(), tool.Call{ID: "call_1", Tool: "outer"}, env)
			require.True(t, result.IsError())
			require.Contains(t, result.Text(), "The call was not made: nothing could be undone if it failed")
			require.Zero(t, made)
		})
	}
}

func TestSelectedSession(t *testing.T) {
	var got string
	one := tool.Func(tool.Spec{
		Name: "code", DescriptionFor: func(o tool.Offer) string {
			return "Session: " + o.Options.Text(tool.OptionSession)
		},
		Options: []tool.Option{{ID: tool.OptionSession, Type: tool.OptionText}},
	}, func(_ context.Context, _ struct{}, env tool.Env) (string, error) {
		got = env.Options.Text(tool.OptionSession)
		return "", nil
	})
	other := tool.Func(tool.Spec{Name: "other", Description: "Has no sessions."},
		func(_ context.Context, _ struct{}, env tool.Env) (string, error) {
			got = env.Options.Text(tool.OptionSession)
			return "", nil
		})
	tools, err := registry.New(one, other)
	require.NoError(t, err)
	selection := registry.Selection{Session: "main"}
	for _, c := range []struct {
		selection  registry.Selection
		tool, want string
	}{
		{registry.Selection{}, "code", ""},
		{selection, "code", "main"},
		{selection, "other", ""},
		{selection.WithOption("code", tool.OptionSession, "mine"), "code", "mine"},
		{selection.WithOption("code", tool.OptionSession, ""), "code", ""},
	} {
		result := tools.Dispatch(t.Context(), tool.Call{Tool: c.tool}, registry.Env{Selection: c.selection})
		require.False(t, result.IsError(), result.Text())
		require.Equal(t, c.want, got)
		if c.tool == "code" {
			definitions, err := tools.Definitions(tool.Anthropic, c.selection)
			require.NoError(t, err)
			require.Equal(t, "Session: "+c.want, definitions[0].Description)
		}
	}
}
