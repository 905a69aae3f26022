// A file is read while hundreds of writes of it are under way, and must be one of those contents as a whole.
// ends: returns whole
fs.writeFileSync('/a', 'a'.repeat(10000));
const writes = Array.from({ length: 200 },
  (_, i) => fs.writeFile('/a', String.fromCharCode(97 + (i % 26)).repeat(10000)));
const texts = await Promise.all(writes.map(() => fs.readFile('/a', 'utf8')));
await Promise.all(writes);
return texts.every((text) => text === text[0].repeat(10000)) ? 'whole' : 'halves';
