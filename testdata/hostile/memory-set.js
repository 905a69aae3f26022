// A Set gets a new text each time.
// ends: memory limit
const ballast = new Uint8Array(4.5e7); // leaves less to fill
const set = new Set();
for (let i = 0; ; i++) set.add('member ' + i);
