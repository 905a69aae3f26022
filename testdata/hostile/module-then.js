// A module exports a function called then, which import takes for a promise's.
// ends: time limit
fs.writeFileSync('/a.js', 'export function then(resolve) { import("/a.js").then(resolve); }');
await import('/a.js');
