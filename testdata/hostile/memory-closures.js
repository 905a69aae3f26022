// Functions keep the variables that they use.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
const functions = [];
for (let i = 0; ; i++) functions.push(() => i);
