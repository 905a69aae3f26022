// Functions are made of text, each with code and names of its own.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
const functions = [];
for (let i = 0; ; i++) functions.push(new Function(`a${i}`, `return a${i} + "${'x'.repeat(2000)}${i}"`));
