// A large file is read in each encoding that there is.
// ends: time limit or memory limit
fs.writeFileSync('/a', new Uint8Array(5e6).fill(200));
for (;;) {
  for (const encoding of ['utf8', 'latin1', 'hex', 'base64', 'utf16le']) fs.readFileSync('/a', encoding);
}
