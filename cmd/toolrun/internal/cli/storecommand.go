package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/admin"
	"github.com/toolrun/toolrun/vfs/local"
	"github.com/toolrun/toolrun/vfs/partition"
	"github.com/toolrun/toolrun/vfs/postgres"
	"github.com/toolrun/toolrun/vfs/postgres/s3"
)

// storeCommand has what the subcommands of toolrun store share.
type storeCommand struct {
	json bool
}

func newStore() *cobra.Command {
	c := &storeCommand{}
	cmd := &cobra.Command{
		Use:   "store",
		Short: "Copy all projects to another place, and check a store",
		Long: `Copy all projects from one place to another, such as from a directory to a
PostgreSQL database, and check the place where projects are kept.`,
		Example: "  toolrun store check",
	}
	addJSON(cmd.PersistentFlags(), &c.json)
	cmd.AddCommand(c.migrate(), c.check(), c.sweep())
	return cmd
}

// openPlace opens the store at a place, which must be there unless it is to be made.
func (h *Host) openPlace(ctx context.Context, place string, create bool) (vfs.Store, error) {
	if !create && !isDatabase(place) {
		if _, err := h.stat(filepath.Join(place, "projects")); err != nil {
			return nil, fmt.Errorf("%s has no projects: %w", place, err)
		}
	}
	store, err := h.openStore(ctx, place, nil)
	if err != nil {
		return nil, fmt.Errorf("opening the store of projects: %w", err)
	}
	return store, nil
}

// databases open the stores that are no directories, perhaps with contents in object storage.
func databases() []vfs.Opener {
	database := postgres.Opener(&postgres.Options{OpenObjects: func(address string) (postgres.Objects, error) {
		return s3.Open(address, nil)
	}})
	return []vfs.Opener{database, partition.Opener(database, local.Opener())}
}

// isDatabase reports whether a place for data is a database or several, and not a directory.
func isDatabase(place string) bool {
	return slices.ContainsFunc(databases(), func(o vfs.Opener) bool { return o.Opens(place) })
}

// OpenStore opens the store of projects at a place: a directory, a database, or several databases.
func OpenStore(ctx context.Context, place string, options *vfs.Options) (vfs.Store, error) {
	return vfs.OpenStore(ctx, place, options, append(databases(), local.Opener())...)
}

// openStore is [OpenStore], or what the host has in its place, for a directory relative to the host's.
func (h *Host) openStore(ctx context.Context, place string, options *vfs.Options) (vfs.Store, error) {
	if !strings.Contains(place, "://") {
		place = h.path(place)
	}
	if h.OpenStore != nil {
		return h.OpenStore(ctx, place, options)
	}
	return OpenStore(ctx, place, options)
}

// migrated is what became of a project or a record, as JSON.
type migrated struct {
	ID      string     `json:"id"`
	Deleted *time.Time `json:"deleted,omitempty"`
	Record  string     `json:"record,omitempty"` // its kind
	Copied  bool       `json:"copied"`
	Error   string     `json:"error,omitempty"`
}

func (c *storeCommand) migrate() *cobra.Command {
	var from, to, only string
	cmd := &cobra.Command{
		Use:   "migrate --from DIR|URL --to DIR|URL",
		Short: "Copy all projects to another place",
		Long: `Copy all projects, with their settings and history, and compare the copies.
Deleted projects that can be restored, and what servers keep about their
clients, are copied as well; modules are not. Nothing is removed. Stop whatever
uses the projects first.

It can be interrupted and repeated: what has been copied is compared only. What
is already there and different is reported, not replaced. The exit status is 1
if something was not copied.`,
		Example: "  toolrun store migrate --from .data --to copy",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			source, err := hostOf(cmd).openPlace(cmd.Context(), from, false)
			if err != nil {
				return err
			}
			defer source.Close()
			target, err := hostOf(cmd).openPlace(cmd.Context(), to, true)
			if err != nil {
				return err
			}
			defer target.Close()
			all, out, failed, records := []migrated{}, cmd.OutOrStdout(), 0, 0
			report := func(r admin.Result) {
				one := migrated{ID: r.ID, Record: r.Record, Copied: r.Copied}
				name := r.ID
				if !r.Discarded.IsZero() {
					one.Deleted = &r.Discarded
					name += ", deleted " + r.Discarded.Format(time.RFC3339)
				}
				text := "the same already"
				switch {
				case r.Err != nil:
					failed++
					one.Error = r.Err.Error()
					text = "failed: " + one.Error
				case r.Copied:
					text = "copied"
				}
				all = append(all, one)
				switch {
				case c.json:
				case r.Record == "":
					_, _ = fmt.Fprintf(out, "%s: %s\n", name, text)
				case r.Err != nil:
					_, _ = fmt.Fprintf(out, "record %s of %s: %s\n", r.ID, r.Record, text)
				case r.Copied:
					records++
				}
			}
			if only == "" {
				err = admin.Migrate(cmd.Context(), source, target, report)
			} else {
				err = admin.MigrateProject(cmd.Context(), source, target, only, report)
			}
			if records > 0 && !c.json {
				_, _ = fmt.Fprintf(out, "records: %d copied\n", records)
			}
			if c.json && (err == nil || failed > 0) {
				if err := printJSON(out, all); err != nil {
					return err
				}
			}
			if failed > 0 && cmd.Context().Err() == nil {
				return errToolFailed // each has been reported
			}
			return err
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "copy from the data directory or database `PLACE`")
	cmd.Flags().StringVar(&to, "to", "", "copy to the data directory or database `PLACE`")
	cmd.Flags().StringVar(&only, "project", "", "copy the project `ID` only, and nothing else")
	_ = errors.Join(cmd.MarkFlagRequired("from"), cmd.MarkFlagRequired("to"))
	return cmd
}

// storeProblem is something that is wrong in a store, as JSON.
type storeProblem struct {
	Project string `json:"project,omitempty"`
	Problem string `json:"problem"`
}

// openStore opens the store that the flags name, as it is, and returns its place, too.
func (f *projectFlags) openStore() (vfs.Store, string, error) {
	place, err := f.place()
	if err != nil {
		return nil, "", err
	}
	store, err := f.host().openPlace(f.cmd.Root().Context(), place, false)
	return store, place, err
}

func (c *storeCommand) check() *cobra.Command {
	f := &projectFlags{}
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Look for what is wrong in the store of projects",
		Long: `Read all files and all that histories have kept, and check that everything fits
together. Nothing is changed. The exit status is 1 if something is wrong.`,
		Example: "  toolrun store check\n  toolrun store check --json",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, _, err := f.openStore()
			if err != nil {
				return err
			}
			defer store.Close()
			all, out := []storeProblem{}, cmd.OutOrStdout()
			err = admin.Check(cmd.Context(), store, func(id, problem string) {
				all = append(all, storeProblem{id, problem})
				if !c.json {
					if id != "" {
						problem = id + ": " + problem
					}
					_, _ = fmt.Fprintln(out, problem)
				}
			})
			switch {
			case err != nil:
				return err
			case c.json:
				err = printJSON(out, all)
			case len(all) == 0:
				_, err = fmt.Fprintln(out, "No problems found.")
			}
			if err == nil && len(all) > 0 {
				err = errToolFailed
			}
			return err
		},
	}
	f.cmd = cmd
	cmd.Flags().StringVar(&f.data, "data", "",
		"check `DIR`, or a database if it is postgres://...\n(default $TOOLRUN_DATA, else the user's data directory)")
	return cmd
}

// A sweeper is a store that removes what nobody needs any more from time to time.
type sweeper interface {
	Sweep(ctx context.Context, unused time.Duration) error
	FindLostObjects(ctx context.Context, only bool) (int64, error)
}

// unusedFor is how long contents must have been unused to be removed, as stores do it: files may still be open.
const unusedFor = 10 * time.Minute

func (c *storeCommand) sweep() *cobra.Command {
	f := &projectFlags{}
	cmd := &cobra.Command{
		Use:   "sweep",
		Short: "Remove what nobody needs any more from a database",
		Long: `Remove what nobody needs any more from a database and its object storage, as
servers do every two minutes. This also lists all objects and finds those that
the database does not know, as there are after restoring an older backup of it.
Objects are removed once they have not been needed for a day, or for the time
in the URL's parameter objects_keep.`,
		Example: "  toolrun store sweep --data postgres://db.example.com/toolrun",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, place, err := f.openStore()
			if err != nil {
				return err
			}
			defer store.Close()
			s, ok := store.(sweeper)
			if !ok {
				return fmt.Errorf("%s is no database: there is nothing to sweep", place)
			}
			lost, err := s.FindLostObjects(cmd.Context(), false)
			if err == nil {
				err = s.Sweep(cmd.Context(), unusedFor)
			}
			switch {
			case err != nil:
				return err
			case c.json:
				return printJSON(cmd.OutOrStdout(), map[string]int64{"lostObjects": lost})
			case lost > 0:
				_, err = fmt.Fprintf(cmd.OutOrStdout(),
					"%d objects that the database does not know will be removed.\n", lost)
			}
			return err
		},
	}
	f.cmd = cmd
	cmd.Flags().StringVar(&f.data, "data", "", "sweep the database `URL` (default $TOOLRUN_DATA)")
	return cmd
}
