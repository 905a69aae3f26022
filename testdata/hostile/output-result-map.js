// The result is a Map with a hundred thousand Maps.
// ends: time limit or memory limit
return new Map(Array.from({ length: 1e5 }, (_, i) => [new Set([i]), new Map([[i, { i }]])]).concat(
  [[0, new Proxy({}, { ownKeys() { for (;;) {} } })]]));
