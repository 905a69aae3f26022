package cli

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/vfs"
)

func (c *projectCommand) delete() *cobra.Command {
	var yes, forever bool
	cmd := &cobra.Command{
		Use:   "delete ID",
		Short: "Delete a project with all its files, history and settings",
		Long: `Delete a project with all its files, history and settings. It can be restored
for 30 days, as long as history is kept, unless --forever deletes it at once,
together with projects of this id that were deleted before. On a terminal the
command asks first. It warns of projects that mount this one and would fail.`,
		Example: "  toolrun project delete default\n" +
			"  toolrun project delete default --yes --forever",
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			id := args[0]
			return c.desk(cmd, func(s *service.Service) error {
				info, err := s.ShowProject(cmd.Context(), service.InProject{Project: id})
				missing := err != nil && service.Explain(err).Code == "not_found"
				if err != nil && !(missing && forever) {
					return c.missing(cmd, id, err)
				}
				mounted, _ := s.ListMountedAt(cmd.Context(), service.InProject{Project: id}) // as many as can be read
				for _, by := range mounted {
					warnings(cmd.ErrOrStderr())(fmt.Errorf("the project %s mounts %s at %s, and fails without it: "+
						"toolrun project --project %s unmount %s", by.Project, id, by.Path, by.Project, by.Path))
				}
				if !yes && terminal.IsTerminal(cmd.InOrStdin()) {
					what := fmt.Sprintf("%s (%s, %s)", id, countFiles(info.Files), countBytes(info.Bytes))
					if forever {
						what += " for good"
					}
					if ok, err := confirm(cmd, "Delete "+what+"?"); !ok || err != nil {
						return err
					}
				}
				_, err = s.DeleteProject(cmd.Context(), service.DeleteRequest{Project: id, Forever: forever})
				if err != nil {
					return c.missing(cmd, id, err)
				}
				text := fmt.Sprintf("deleted %s for good\n", id)
				if !forever {
					text = fmt.Sprintf("deleted %s; toolrun project restore %s brings it back\n", id, id)
				}
				return outcome{text: text, data: map[string]any{"deleted": id}}.print(cmd.OutOrStdout(), c.json)
			})
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	cmd.Flags().BoolVar(&forever, "forever", false, "keep nothing")
	return cmd
}

// missing explains that a project does not exist.
func (c *projectCommand) missing(cmd *cobra.Command, id string, err error) error {
	if service.Explain(err).Code != "not_found" {
		return err
	}
	return c.inStore(func(store vfs.Store) error { return missingProject(cmd.Context(), store, id) })
}

// confirm asks the user at the terminal. Anything but y or yes is a no, which is errToolFailed.
func confirm(cmd *cobra.Command, question string) (bool, error) {
	if _, err := io.WriteString(cmd.ErrOrStderr(), question+" [y/N] "); err != nil {
		return false, err
	}
	answered := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(io.LimitReader(cmd.InOrStdin(), 1024)).ReadString('\n')
		answered <- line
	}()
	select {
	case line := <-answered:
		switch strings.ToLower(strings.TrimSpace(line)) {
		case "y", "yes":
			return true, nil
		}
		_, err := io.WriteString(cmd.ErrOrStderr(), "Nothing was deleted.\n")
		return false, errors.Join(err, errToolFailed)
	case <-cmd.Context().Done():
		return false, cmd.Context().Err()
	}
}

// listDeleted lists the deleted projects.
func (c *projectCommand) listDeleted(cmd *cobra.Command) error {
	type deletedProject struct {
		ID      string    `json:"id"`
		Deleted time.Time `json:"deleted"`
		Until   time.Time `json:"until"`
	}
	all := []deletedProject{}
	err := c.desk(cmd, func(s *service.Service) error {
		deleted, err := s.ListDeleted(cmd.Context(), service.Nothing{})
		for _, p := range deleted.Projects {
			all = append(all, deletedProject{p.Name, p.Deleted, p.Until})
		}
		return err
	})
	if err != nil {
		return err
	}
	var text strings.Builder
	table := tabwriter.NewWriter(&text, 0, 8, 2, ' ', 0)
	for _, p := range all {
		fmt.Fprintf(table, "%s\tdeleted %s\tkept until %s\n", p.ID, p.Deleted.Local().Format(time.DateTime),
			p.Until.Local().Format(time.DateOnly))
	}
	_ = table.Flush() // a strings.Builder does not fail
	return outcome{text: text.String(), data: all, none: "no deleted projects"}.print(cmd.OutOrStdout(), c.json)
}

func (c *projectCommand) restore() *cobra.Command {
	var as string
	cmd := &cobra.Command{
		Use:   "restore ID",
		Short: "Bring back a deleted project",
		Long: `Bring back the project of this id that was deleted last, with its files, history
and settings. toolrun project list --deleted lists what can be restored.`,
		Example: "  toolrun project delete default && toolrun project restore default",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if as == "" {
				as = args[0]
			}
			err := c.desk(cmd, func(s *service.Service) error {
				_, err := s.RestoreProject(cmd.Context(), service.RestoreProjectRequest{Project: args[0], As: as})
				err = reworded(err, "not_found",
					"no deleted project named %s; toolrun project list --deleted lists them", args[0])
				return reworded(err, "exists",
					"a project named %s exists; restore the deleted one under another name with --as", as)
			})
			if err != nil {
				return err
			}
			return outcome{text: fmt.Sprintf("restored %s\n", as), data: map[string]string{"restored": as}}.
				print(cmd.OutOrStdout(), c.json)
		},
	}
	cmd.Flags().StringVar(&as, "as", "", "give the project another `ID`")
	return cmd
}
