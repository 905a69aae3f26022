package javascript_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	sandbox "github.com/toolrun/toolrun/runtime"
)

// Everything that a script can see of the time and of randomness.
const drawsAll = `
	const {randomBytes, createHash} = require('crypto');
	const {performance} = require('perf_hooks');
	const seen = [Math.random(), crypto.randomUUID(), [...crypto.getRandomValues(new Uint8Array(4))],
		randomBytes(3).toString('hex'),
		Date.now(), new Date().toISOString(), performance.now(), process.hrtime().join('.'), process.uptime()];
	setTimeout(() => seen.push('later', performance.now(), Date.now()), 3);
	await new Promise((done) => setTimeout(done, 5));
	for (let n = 0; n < 3; n++) console.log(Math.random());
	return JSON.stringify(seen.concat(performance.now()));`

func TestSeededRunsAreTheSameEverywhere(t *testing.T) {
	run := func(seed string, clock time.Time) string {
		ctx := sandbox.WithSource(context.Background(), sandbox.Source{Seed: seed, Clock: clock})
		result, err := engine.Run(ctx, drawsAll, nil)
		require.NoError(t, err)
		for _, e := range result.Console {
			result.Text += "\n" + e.Text
		}
		return result.Text
	}
	day := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	first := run("7", day)
	require.Equal(t, first, run("7", day))
	require.NotEqual(t, first, run("8", day))
	require.NotEqual(t, first, run("", day), "without a seed the numbers are the machine's")
	require.Contains(t, first, `1767323045000,"2026-01-02T03:04:05.000Z"`)
	require.True(t, strings.HasPrefix(first, "[0.6451232986574578,"), "other machines have printed this: %s", first)
}
