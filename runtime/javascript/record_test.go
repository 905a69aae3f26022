package javascript_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	goruntime "runtime"
	"strings"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"

	"github.com/toolrun/toolrun/internal/test/wrapfs"
	"github.com/toolrun/toolrun/network"
	"github.com/toolrun/toolrun/recording"
	sandbox "github.com/toolrun/toolrun/runtime"
	"github.com/toolrun/toolrun/runtime/javascript"
)

// Whatever a script gets from outside, in an order that is by chance.
const draws = `
	out(Math.random(), Date.now(), performance.now(), crypto.randomUUID(), new Date(), process.hrtime());
	const started = [3, 1, 2].map((n) => ask(n).then((v) => out('answered', v, Math.random())));
	let ticks = 0;
	const timer = setInterval(() => { if (++ticks < 4) out('tick', ticks, performance.now()); }, 0);
	await Promise.all(started);
	clearInterval(timer);
	fs.writeFileSync('/out.txt', 'drawn ' + Math.random());
	out(fs.readFileSync('/in.txt', 'utf8'), fs.existsSync('/none'), fs.readdirSync('/'),
		fs.statSync('/out.txt').mtimeMs,
		fs.readFileSync('/out.txt', 'utf8'));
	try { fs.readFileSync('/none') } catch (e) { out(e.message) }
`

func TestScriptsAreRecordedAndPlayedBack(t *testing.T) {
	count := len(pieces) + 4
	if *soak {
		count = 300
	}
	for seed := range count {
		random := rand.New(rand.NewPCG(uint64(seed), 2))
		script := randomScript(seed, random)
		script = strings.Replace(script, "return lines", draws+"return lines", 1)
		hurry := func(x any) (any, error) {
			if n, ok := x.(float64); ok && n < 0 {
				return nil, fmt.Errorf("refused %v", n)
			}
			for range rand.IntN(100) { // so that answers come in any order
				goruntime.Gosched()
			}
			return x, nil
		}
		files := afero.NewMemMapFs()
		require.NoError(t, afero.WriteFile(files, "/in.txt", []byte("what is there"), 0o600))

		var tape bytes.Buffer
		recorder := recording.NewRecorder(&tape, recording.Header{Input: script}, nil)
		options := asking(hurry)
		options.Files = recorder.Files(wrapfs.Foreign(files))
		want, err := engine.Run(sandbox.WithSource(t.Context(), sandbox.Source{Tape: recorder}), script, options)
		require.NoError(t, err, script)
		require.NoError(t, recorder.End(nil))

		recorded, err := recording.Read(&tape, nil)
		require.NoError(t, err)
		player := recorded.Player()
		options = asking(hurry)
		options.Files = player.Files()
		got, err := engine.Run(sandbox.WithSource(t.Context(), sandbox.Source{Tape: player}), script, options)
		if d := player.Difference(); d != nil {
			require.NoError(t, d, script)
		}
		require.NoError(t, err, script)
		require.Equal(t, want.Text, got.Text, script)
		require.Equal(t, want.Console, got.Console, script)
		require.Equal(t, want.Usage.Work, got.Usage.Work, script)
		require.Equal(t, want.Usage.Memory, got.Usage.Memory, script)
	}
}

// TestRequestsAreRecordedAndPlayedBack has responses come in parts and in an order that are by chance, and fail midway.
func TestRequestsAreRecordedAndPlayedBack(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Bytes", "\xe4\xff")
		if r.URL.Path == "/short" {
			w.Header().Set("Content-Length", "1000000")
		}
		for n := range rand.IntN(20) + 5 {
			_, _ = w.Write(bytes.Repeat([]byte{byte(n), 0xff}, rand.IntN(10_000)))
			w.(http.Flusher).Flush()
		}
	}))
	script := `
		const get = async (path) => {
			const parts = [];
			try {
				const r = await fetch(base + path, { headers: { 'x-own': path } });
				parts.push(r.status, r.headers.get('x-bytes'), r.url === base + path);
				for await (const part of r.body) parts.push(part.length, part[part.length >> 1]);
			} catch (e) {
				parts.push(e.name, e.code, e.message);
			}
			console.log(path, parts.join());
		};
		await Promise.all(['/a', '/b', '/short', '/c', '/large'].map(get));
		await get('/d');
		try { await fetch('https://example.com/') } catch (e) { console.log(e.message) }
		fetch(base + '/left');`
	for range 5 {
		var tape bytes.Buffer
		recorder := recording.NewRecorder(&tape, recording.Header{Input: script}, nil)
		options := javascript.RunOptions{Network: networkTo(t, server, network.Limits{ResponseSize: 200_000}),
			Globals: map[string]any{"base": server.URL}}
		want, err := engine.Run(sandbox.WithSource(t.Context(), sandbox.Source{Tape: recorder}), script, &options)
		require.NoError(t, err)
		require.NoError(t, recorder.End(nil))

		recorded, err := recording.Read(&tape, nil)
		require.NoError(t, err)
		player := recorded.Player()
		options.Network = noNetwork{t}
		got, err := engine.Run(sandbox.WithSource(t.Context(), sandbox.Source{Tape: player}), script, &options)
		require.Nil(t, player.Difference())
		require.NoError(t, err)
		require.Equal(t, want.Console, got.Console)
		require.Equal(t, want.Usage.Work, got.Usage.Work)
	}
	server.Close()
}

// noNetwork fails the test if a request is made.
type noNetwork struct{ t *testing.T }

func (n noNetwork) Usage() network.Usage { return network.Usage{} }

func (n noNetwork) Do(_ context.Context, request *network.Request) (*network.Response, error) {
	n.t.Error("a request to", request.URL)
	return nil, io.ErrUnexpectedEOF
}
