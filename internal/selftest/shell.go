package selftest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/script"
	"github.com/toolrun/toolrun/tools/code"
	"github.com/toolrun/toolrun/vfs"
)

// attemptShell runs a script of the shell, and then a correct one.
func attemptShell(ctx context.Context, attack Attack, options Options) Outcome {
	if options.Shell == nil {
		return Outcome{Attack: attack.Name, Wrong: "there is no shell"}
	}
	return attemptCode(ctx, attack, options, func(project vfs.Project, limits sandbox.Limits) string {
		return shellEnding(options.Shell.Run(ctx, attack.Source, &code.Run{Files: project, Limits: limits}))
	}, func(project vfs.Project) error {
		result, err := options.Shell.Run(ctx, correctShell,
			&code.Run{Files: project, Limits: sandbox.Limits{Time: patience}})
		var text strings.Builder
		for _, entry := range result.Console {
			text.WriteString(entry.Text + "\n")
		}
		if err != nil || text.String() != correctShellResult {
			return fmt.Errorf("a correct script did not work after it: %q, %v", text.String(), err)
		}
		return nil
	})
}

// correctShell uses a bit of everything that a hostile script may have broken.
const correctShell = `
set -euo pipefail
mkdir -p /ok && cd /ok
printf '%s\n' c a b | sort | tee x | paste -sd,
declare -A m=([k]=v); f() { local y=${1//a/b}; echo "${y^^} ${m[k]}"; }
f "$(head -1 x)" & wait
awk '{ n += length($0) } END { print n * 7 * 2 }' x; cat <(gzip <x | zcat | sed -n 2p)`

const correctShellResult = "a,b,c\nB v\n42\nb\n"

// shellEnding is [Ending] for the shell: each script has an exit status.
func shellEnding(result *script.Result, err error) string {
	if err == nil {
		return fmt.Sprintf("exits %d", result.Status)
	}
	if limit, ok := errors.AsType[*sandbox.LimitError](err); ok && slices.Contains(limits, limit.Limit) {
		return string(limit.Limit) + " limit"
	}
	return err.Error()
}
