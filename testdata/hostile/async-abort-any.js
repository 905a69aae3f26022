// Signals depend on signals that depend on signals, twice each.
// ends: time limit or memory limit
let { signal } = new AbortController();
for (;;) signal = AbortSignal.any([signal, signal]);
