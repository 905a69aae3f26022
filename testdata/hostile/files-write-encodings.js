// Texts that are no hexadecimal and no base64 are written as such.
// ends: time limit
const text = 'zz='.repeat(1e6);
for (;;) {
  for (const encoding of ['hex', 'base64', 'utf16le', 'latin1', 'ascii', 'nonsense']) {
    try {
      fs.writeFileSync('/a', text, encoding);
    } catch {}
  }
}
