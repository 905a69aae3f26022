package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/afero"
	"github.com/spf13/cobra"

	"github.com/toolrun/toolrun"
	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/internal/service"
	"github.com/toolrun/toolrun/internal/text/filediff"
	"github.com/toolrun/toolrun/registry"
	"github.com/toolrun/toolrun/vfs"
	"github.com/toolrun/toolrun/vfs/local"
)

// addAsk adds --ask, for commands that call tools.
func (f *projectFlags) addAsk(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.ask, "ask", nil,
		"let a person approve calls by these `RULES`: all, writes, destructive, "+
			"external, source:NAME or names of tools")
}

// checkAsk refuses rules that there are not. Of those for tools that servers may bring later, the runner warns.
func (f *projectFlags) checkAsk(r *runner) error {
	for _, rule := range f.ask {
		err := r.CheckAsk(rule)
		if _, unknown := errors.AsType[*registry.UnknownRuleError](err); err != nil &&
			!(unknown && len(r.Servers()) > 0) {
			return fmt.Errorf("--ask: %w", err)
		}
	}
	return nil
}

// keeping has a session keep the calls of a project, or of the directory given with --root, that wait for approval.
func (f *projectFlags) keeping(o *toolrun.SessionOptions, id string) {
	dir := f.root
	if whole, err := filepath.Abs(f.rootPath()); dir != "" && err == nil {
		dir = whole
	}
	o.Waiting = service.Keeper(f.records(), id, dir)
}

// noted returns options of a runner whose calls others see that use the store of the flags.
func (f *projectFlags) noted() toolrun.Options {
	return toolrun.Options{Store: f.records(), NoteCalls: true}
}

// records has the records of the store that the flags name. It is opened when they are needed: most commands need none.
// Projects are in memory.
func (f *projectFlags) records() vfs.Store { return recordsOf{local.NewMemoryStore(nil), f} }

type recordsOf struct {
	vfs.Store
	flags *projectFlags
}

func (s recordsOf) Records(kind string) vfs.Records { return recordsOfKind{s.flags, kind} }

type recordsOfKind struct {
	flags *projectFlags
	kind  string
}

func (r recordsOfKind) with(do func(vfs.Records) error) (err error) {
	store, err := r.flags.store(nil)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	return do(store.Records(r.kind))
}

func (r recordsOfKind) Get(ctx context.Context, name string) (data []byte, err error) {
	if there, err := r.flags.hasStore(); err == nil && !there { // and reading makes none
		return nil, fs.ErrNotExist
	}
	err = r.with(func(records vfs.Records) error {
		data, err = records.Get(ctx, name)
		return err
	})
	return data, err
}

func (r recordsOfKind) List(ctx context.Context, after string, limit int) (names []string, err error) {
	if there, err := r.flags.hasStore(); err == nil && !there {
		return nil, nil
	}
	err = r.with(func(records vfs.Records) error {
		names, err = records.List(ctx, after, limit)
		return err
	})
	return names, err
}

func (r recordsOfKind) Change(ctx context.Context, name string, keep time.Duration,
	change func([]byte) ([]byte, error)) error {
	return r.with(func(records vfs.Records) error { return records.Change(ctx, name, keep, change) })
}

func (r recordsOfKind) Watch(ctx context.Context, changed func(string)) error {
	return r.with(func(records vfs.Records) error { return records.Watch(ctx, changed) })
}

// operator is who decides at this machine, as the system's environment has it.
func (h *Host) operator() string {
	return cmp.Or(h.getenv("USER"), h.getenv("LOGNAME"), h.getenv("USERNAME"), "operator")
}

// approver asks at the terminal, or is nil if there is none.
func (f *projectFlags) approver() registry.Approver {
	cmd := f.cmd
	editor := terminal.NewEditor(cmd.InOrStdin(), cmd.ErrOrStderr(), new(terminal.History),
		func(string) (int, []string) { return 0, nil })
	if editor == nil {
		return nil
	}
	var one sync.Mutex // question at a time
	return registry.RememberApprovals(func(ctx context.Context,
		request registry.ApprovalRequest) (registry.Decision, error) {
		one.Lock()
		defer one.Unlock()
		out := cmd.ErrOrStderr()
		if err := printRequest(ctx, out, request); err != nil {
			return registry.Decision{}, err
		}
		for {
			answer, err := editor.Ask("Make the call? yes, no, edit, always or later:", false)
			if errors.Is(err, io.EOF) { // Ctrl-D
				return registry.Decision{Later: true}, nil
			}
			if err != nil {
				return registry.Decision{}, err
			}
			d := registry.Decision{By: f.host().operator()}
			switch strings.ToLower(strings.TrimSpace(answer)) {
			case "yes", "y":
				d.Approved = true
			case "always", "a":
				d.Approved, d.Always = true, true
			case "no", "n":
				if d.Reason, err = editor.Ask("Why? The model reads it; empty gives no reason:", false); err != nil &&
					!errors.Is(err, io.EOF) {
					return registry.Decision{}, err
				}
			case "later", "l":
				d.Later = true
			case "edit", "e":
				text, err := editor.Ask("The arguments, as JSON:", false)
				if err != nil || !json.Valid([]byte(text)) {
					fmt.Fprintln(out, "That is no JSON.")
					continue
				}
				d.Approved, d.Input = true, json.RawMessage(text)
			default:
				continue
			}
			return d, nil
		}
	})
}

// printRequest prints a call that needs approval, who makes it, and what they have changed.
func printRequest(ctx context.Context, w io.Writer, request registry.ApprovalRequest) error {
	fmt.Fprintf(w, "\n%s needs approval", request.Call.Tool)
	if request.Rule != "" {
		fmt.Fprintf(w, " (%s)", request.Rule)
	}
	fmt.Fprintf(w, ":\n%s", indented(string(request.Call.Input)))
	for _, caller := range slices.Backward(request.Callers) {
		fmt.Fprintf(w, "It is called by %s (%s):\n%s", caller.Tool, caller.ID, indented(codeOf(caller.Input)))
	}
	if request.Problem != "" {
		fmt.Fprintf(w, "The arguments could not be used:\n%s", indented(request.Problem))
	}
	printChanged(w, request.Changed)
	ids := map[string]bool{}
	for _, caller := range request.Callers {
		ids[caller.ID] = true
	}
	return printOwnChanges(ctx, w, request.Files, func(id string) bool {
		if ids[id] {
			return true
		}
		for own := range ids {
			if strings.HasPrefix(id, own+".") || strings.HasPrefix(id, own+"+") {
				return true
			}
		}
		return false
	})
}

// codeOf is the code in the input of a call, or the input.
func codeOf(input json.RawMessage) string {
	var in struct{ Code string }
	if json.Unmarshal(input, &in) != nil || in.Code == "" {
		return string(input)
	}
	return in.Code
}

// maxShownLines is how many lines of code, of an input or of a diff are shown.
const maxShownLines = 200

// indented marks each line as one of a text that others have written.
func indented(text string) string {
	var b strings.Builder
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i, line := range lines {
		if i == maxShownLines {
			fmt.Fprintf(&b, "  (%d more lines)\n", len(lines)-i)
			break
		}
		b.WriteString("  | " + line + "\n")
	}
	return b.String()
}

// printChanged prints what others have changed while a call waited.
func printChanged(w io.Writer, changes []vfs.Change) {
	if len(changes) == 0 {
		return
	}
	fmt.Fprintln(w, "Files that others have changed since it waits:")
	for _, c := range changes {
		name := c.Path
		if c.To != "" {
			name += " to " + c.To
		}
		by := c.Call
		if by == "" {
			by = "a person or a program"
		}
		fmt.Fprintf(w, "  %s %s, by %s\n", c.Op, name, by)
	}
}

// printOwnChanges prints how files differ from what they were before the calls that own says are those of a run.
func printOwnChanges(ctx context.Context, w io.Writer, files afero.Fs, own func(id string) bool) error {
	p, ok := files.(vfs.Project)
	if !ok {
		return nil
	}
	changes, err := p.Changes(ctx, "/")
	if err != nil {
		return err
	}
	var text strings.Builder
	seen := map[string]bool{}
	for _, c := range slices.Backward(changes) { // the first change of a file is that with its former content
		if !own(c.Call) || c.Undoes != "" || seen[c.Path] {
			continue
		}
		seen[c.Path] = true
		switch c.Op {
		case vfs.OpRename:
			fmt.Fprintf(&text, "renamed %s to %s\n", c.Path, c.To)
			continue
		case vfs.OpMkdir:
			fmt.Fprintf(&text, "made the folder %s\n", c.Path)
			continue
		}
		version, err := filediff.VersionBefore(ctx, p, c, filediff.Unlimited)
		if err != nil {
			fmt.Fprintf(&text, "%s %s\n", c.Op, c.Path)
			continue
		}
		now, _ := filediff.VersionNow(p, c.Path, filediff.Unlimited) // nothing if it cannot be read
		text.WriteString(version.Unified(now, filediff.Unlimited))
	}
	if text.Len() == 0 {
		return nil
	}
	fmt.Fprintln(w, "What it has changed so far:")
	return printDiff(w, indented(text.String()))
}
