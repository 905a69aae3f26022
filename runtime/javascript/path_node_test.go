//go:build suites

package javascript_test

import (
	"encoding/json"
	"os/exec"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/runtime/javascript"
)

// pathDigest compares what two implementations give for many paths that are made of a few parts.
const pathDigest = `
	const parts = ['', '/', 'a', '.', '..', 'b.c', '.d', 'e.', '//', 'f/', '/..', '.g.h'];
	const paths = [];
	for (const a of parts) for (const b of parts) for (const c of parts) paths.push(a + b + c);
	const out = [];
	paths.forEach((p, i) => {
		if (/^\/\.\.\/*$/.test(p)) return; // of which Node says that it has the extension "."
		const q = paths[(i * 7919) % paths.length];
		const without = p.endsWith('/') ? () => '' :
			path.basename; // Node keeps slashes, if the suffix is something else
		const {root, dir, base, ext, name} = path.parse(p);
		out.push([p, q, path.normalize(p), path.join(p, q), path.resolve('/', p),
			path.resolve('/x', p, q), path.dirname(p), path.basename(p), without(p, q),
			without(p, '.c'), path.extname(p), path.relative('/' + p, '/' + q), path.isAbsolute(p), root,
				dir, base, ext, name, path.format({root, dir, base}), path.format({dir: p, name, ext})].join('|'));
	});`

func TestPathIsLikeNodes(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("node is not there to compare with:", err)
	}
	command := exec.CommandContext(t.Context(), node, "-e", "const path = require('path').posix;"+pathDigest+
		"console.log(JSON.stringify(out))")
	output, err := command.Output()
	require.NoError(t, err)
	var want []any
	require.NoError(t, json.Unmarshal(output, &want))
	files := afero.NewMemMapFs()
	run(t, "const path = require('path');"+pathDigest+"await fs.writeFile('/out', JSON.stringify(out))",
		javascript.RunOptions{Files: files})
	output, err = afero.ReadFile(files, "/out")
	require.NoError(t, err)
	var got []any
	require.NoError(t, json.Unmarshal(output, &got))
	require.Len(t, got, len(want))
	for i := range want {
		require.Equal(t, want[i], got[i])
	}
}
