package cli

import (
	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/internal/service"
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
			m := vfs.Mount{Path: args[0], Project: args[1], ReadOnly: readOnly}
			return c.change(cmd, service.ShownMount(m),
				service.SettingChanges{"mounts": {Add: []string{service.MountText(m)}}})
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
			return c.change(cmd, "nothing is mounted at "+args[0], service.SettingChanges{
				"mounts": {Remove: []string{service.MountText(vfs.Mount{Path: args[0]})}}})
		},
	}
}
