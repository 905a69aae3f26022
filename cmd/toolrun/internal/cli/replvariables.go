package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"

	"github.com/spf13/afero"
	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/sessions"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// replVariables are where the prompt has its variables: in a session of the project, or in one in memory, which ends
// with the prompt and leaves nothing in the project's history.
type replVariables struct {
	named  string     // the session of the project, or ""
	memory vfs.States // nil without files
	key    []byte     // of what is in memory
}

// inMemory is the name of the session in memory.
const inMemory = "repl"

// beginVariables prepares the session of the prompt.
func (s *session) beginVariables(cmd *cobra.Command) error {
	if cmd.Flags().Changed("session") {
		if err := vfs.CheckSession(s.named); err != nil {
			return err
		}
	}
	if s.files == nil {
		if s.named != "" {
			return errors.Join(errors.New("sessions are kept with a project, and there is none"),
				s.flags.project.noFiles)
		}
		return nil
	}
	// States are small, but several at once may be large.
	store := local.NewMemoryStore(&vfs.Options{History: vfs.HistoryOptions{Off: true}})
	project, err := store.Open(cmd.Context(), inMemory)
	if err != nil {
		return err
	}
	s.memory = project
	s.key = make([]byte, vfs.SealKeySize)
	_, err = rand.Read(s.key)
	return err
}

// stay says how long variables stay.
func (s *session) stay() string {
	switch {
	case s.files == nil:
		return "Each entry runs in a fresh sandbox: variables do not stay."
	case s.named != "":
		return "Variables stay in the session " + s.named + "."
	}
	return "Variables stay until you leave; .save NAME keeps them."
}

// variables are the files with the states of the session, and its name.
func (s *session) variables(files afero.Fs) (afero.Fs, string) {
	if s.named != "" {
		return files, s.named
	}
	return vfs.WithStates(files, s.memory), inMemory
}

// inSession lets an entry run in the session.
func (s *session) inSession(env *registry.Env) {
	if s.files == nil {
		return
	}
	env.Files, env.Selection.Session = s.variables(env.Files)
	if s.named == "" {
		env.SealKey = func(context.Context) ([]byte, error) { return s.key, nil }
	}
}

var errNoVariables = errors.New("variables do not stay here, since there are no files")

func (s *session) resetCommand(ctx context.Context, _ string) error {
	if s.files == nil {
		return errNoVariables
	}
	err := s.inCall(func(p vfs.Project) error {
		files, name := s.variables(p)
		if err := sessions.Delete(ctx, files, name); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	})
	if err != nil {
		return err
	}
	return outcome{
		text: "All variables are forgotten.\n", data: map[string]bool{"reset": true},
	}.print(s.cmd.OutOrStdout(), s.flags.json)
}

// inCall changes sessions in one call, which can be undone.
func (s *session) inCall(do func(p vfs.Project) error) error {
	call := s.files.WithCall(newCall("session"))
	defer call.EndCall()
	return do(call)
}

// copyTo copies the variables to a session of the project.
func (s *session) copyTo(ctx context.Context, name string) error {
	if s.files == nil {
		return errNoVariables
	}
	key, err := s.flags.project.sealKey(ctx)
	if err != nil {
		return err
	}
	err = s.inCall(func(p vfs.Project) error {
		to := sessions.Project{Files: p, ID: s.flags.project.name(), Key: key}
		from := to
		files, present := s.variables(p)
		if from.Files = files; s.named == "" {
			from.Key = s.key
		}
		return sessions.Copy(ctx, from, present, to, name)
	})
	switch {
	case errors.Is(err, fs.ErrExist):
		return fmt.Errorf("there is a session named %s; toolrun session delete %s deletes it", name, name)
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("there are no variables yet")
	}
	return err
}

func (s *session) saveCommand(ctx context.Context, name string) error {
	if err := s.copyTo(ctx, name); err != nil {
		return err
	}
	out := outcome{
		text: fmt.Sprintf("The session %s has a copy of the variables.\n", name),
		data: map[string]string{"saved": name},
	}
	return out.print(s.cmd.OutOrStdout(), s.flags.json)
}

func (s *session) forkCommand(ctx context.Context, name string) error {
	if err := s.copyTo(ctx, name); err != nil {
		return err
	}
	s.named = name
	out := outcome{text: s.stay() + "\n", data: map[string]string{"session": name}}
	return out.print(s.cmd.OutOrStdout(), s.flags.json)
}
