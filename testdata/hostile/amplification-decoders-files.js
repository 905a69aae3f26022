// Reads a file of 10 MB in encodings in which it is longer.
// ends: memory limit or exception or returns true
// grows: 128 MiB
fs.writeFileSync('/a', new Uint8Array(10e6).fill(0xff));
let n = 0;
for (const encoding of ['latin1', 'utf8', 'hex', 'base64', 'utf16le']) {
  try { n += fs.readFileSync('/a', encoding).length; } catch (e) { if (e instanceof TypeError) throw e; }
}
return n > 0;
