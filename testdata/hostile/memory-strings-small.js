// Small texts, all different, fill memory and the tables in which the engine finds them.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
const texts = {};
for (let i = 0; ; i++) texts['name' + i] = 'value' + i;
