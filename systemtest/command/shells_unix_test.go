//go:build systemtest && unix

package command_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/toolrun/toolrun/internal/test/commandtest"

	"github.com/stretchr/testify/require"
)

// bashCompletes is what an interactive bash does at a Tab, for a line whose words are separated by spaces.
const bashCompletes = `
	_get_comp_words_by_ref() { words=("${COMP_WORDS[@]}"); cword=$COMP_CWORD; cur=${words[cword]}
	prev=${words[cword-1]}; }
	compopt() { :; }
	source <(toolrun completion bash)
	COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9
	read -ra COMP_WORDS <<<"$1"
	[[ $1 == *' ' ]] && COMP_WORDS+=('')
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	__start_toolrun
	printf '%s\n' "${COMPREPLY[@]}"
`

// TestBashCompletion lets a real bash complete lines with the script that it is given. Hostile names of files are not
// offered.
func TestBashCompletion(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	dir := t.TempDir()
	for _, name := range []string{"notes.md", "é.md", "_activeHelp_ run me", "$(touch run)", "`touch run`",
		"a;touch run", "a'b", `a"b`, "a b", "a\nb", "a\tb", "~", "-rf", "\u202ea", "*", "a\\b", "a!b"} {
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), nil, 0o600))
	}
	for line, want := range map[string]string{
		"toolrun rep":                              "repl replay",
		"toolrun tools j":                          "javascript",
		"toolrun files --root . cat ":              "notes.md é.md",
		"toolrun files --root . cat /-":            "/-rf",
		"toolrun files --root . cat no":            "notes.md",
		"toolrun files export --format=tar":        "tar tar.gz",
		"toolrun tools --option memory.noHand":     "memory.noHandHolding",
		"toolrun call javascript ":                 "",
		"toolrun js --network-limit re":            "request= response= redirects=",
		"toolrun files --root . cat $(touch\\ run": "",
	} {
		cmd := commandtest.Shell(t, bash, "--norc", "-c", bashCompletes, "bash", line)
		cmd.Dir, cmd.Env = dir, append(cmd.Env, "TERM=dumb", "LC_ALL=C.UTF-8")
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		var words []string
		for word := range strings.Lines(string(out)) {
			word, _, _ = strings.Cut(strings.TrimSuffix(word, "\n"), "  ") // a description
			words = append(words, word)
		}
		require.Equal(t, want, strings.Join(words, " "), line)
		require.NoFileExists(t, filepath.Join(dir, "run"))
	}
}
