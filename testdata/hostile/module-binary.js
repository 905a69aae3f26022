// Files that are no text, or only halves of characters, are imported as code.
// ends: exception
fs.writeFileSync('/a.js', new Uint8Array(1e5).map((_, i) => (i * 7919) >> 3));
await import('/a.js');
