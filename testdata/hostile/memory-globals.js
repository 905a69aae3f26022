// Global variables are made without an end.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
for (let i = 0; ; i++) globalThis['global' + i] = { i };
