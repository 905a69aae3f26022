// Shared buffers give what no other thread is there to give, and are handed to all that takes bytes.
// ends: returns AB,2
const shared = new SharedArrayBuffer(2, { maxByteLength: 16 });
const bytes = new Uint8Array(shared);
bytes.set([65, 66]);
fs.writeFileSync('/a', bytes);
shared.grow(16);
return [fs.readFileSync('/a', 'utf8'), fs.statSync('/a').size].join();
