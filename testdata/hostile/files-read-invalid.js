// A file of bytes that are no text is read as text, in which each byte becomes a character of its own.
// ends: time limit
fs.writeFileSync('/a', new Uint8Array(8e6).fill(200));
for (;;) fs.readFileSync('/a', 'utf8');
