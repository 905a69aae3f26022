// Symbols with descriptions are kept.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
const symbols = [];
for (let i = 0; ; i++) symbols.push(Symbol('symbol ' + i));
