package cli

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs"
)

func (c *projectCommand) mount() *cobra.Command {
	var readOnly bool
	cmd := &cobra.Command{
		Use:   "mount PATH PROJECT",
		Short: "Show another project's files at a path",
		Long: `Show another project's files at a path of this one, such as /share. Its quota
and its history stay its own; undoing a call undoes what the call has changed in
both. At /share it is always read-only; its libraries in /share/lib run before
those in /lib. The other project is made if it does not exist.`,
		Example: "  toolrun project mount /share common\n" +
			"  toolrun project mount /sharerw team",
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			m := vfs.Mount{Path: args[0], Project: args[1], ReadOnly: readOnly || args[0] == "/share"}
			if err := vfs.CheckMounts([]vfs.Mount{m}); err != nil {
				return err
			}
			if m.Project == c.id {
				return fmt.Errorf("the project %s cannot be mounted in itself", c.id)
			}
			store, err := c.store(nil)
			if err != nil {
				return err
			}
			defer store.Close()
			other, err := store.Open(cmd.Context(), m.Project)
			if err != nil {
				return err
			}
			if err := other.Close(); err != nil {
				return err
			}
			return c.editMounts(cmd, shownMount(m), func(mounts []vfs.Mount) ([]vfs.Mount, error) {
				mounts = slices.DeleteFunc(mounts, func(other vfs.Mount) bool { return other.Path == m.Path })
				return append(mounts, m), nil
			})
		},
	}
	cmd.Flags().BoolVar(&readOnly, "read-only", false, "let calls read it, but not change it")
	return cmd
}

func (c *projectCommand) unmount() *cobra.Command {
	return &cobra.Command{
		Use:     "unmount PATH",
		Short:   "Stop showing another project's files at a path",
		Example: "  toolrun project mount /share common && toolrun project unmount /share",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			did := "nothing is mounted at " + args[0]
			return c.editMounts(cmd, did, func(mounts []vfs.Mount) ([]vfs.Mount, error) {
				left := slices.DeleteFunc(slices.Clone(mounts), func(m vfs.Mount) bool { return m.Path == args[0] })
				if len(left) == len(mounts) {
					return nil, fmt.Errorf("no project is mounted at %s", args[0])
				}
				return left, nil
			})
		},
	}
}

// editMounts changes the mounts in the project's settings.
func (c *projectCommand) editMounts(cmd *cobra.Command, did string,
	change func([]vfs.Mount) ([]vfs.Mount, error)) error {
	return c.edit(cmd, did, func(s registry.Settings) (registry.Settings, error) {
		var mounts []vfs.Mount
		if raw := s.Field(vfs.MountsField); raw != nil {
			if err := json.Unmarshal(raw, &mounts); err != nil {
				return s, fmt.Errorf("the settings' %s: %w", vfs.MountsField, err)
			}
		}
		mounts, err := change(mounts)
		if err == nil {
			err = vfs.CheckMounts(mounts)
		}
		if err != nil {
			return s, err
		}
		if len(mounts) == 0 {
			return s.WithField(vfs.MountsField, nil), nil
		}
		raw, err := json.Marshal(mounts)
		return s.WithField(vfs.MountsField, raw), err
	})
}

// shownMount is a mount for people.
func shownMount(m vfs.Mount) string {
	access := ""
	if m.ReadOnly {
		access = " (read-only)"
	}
	return fmt.Sprintf("%s: project %s%s", m.Path, m.Project, access)
}
