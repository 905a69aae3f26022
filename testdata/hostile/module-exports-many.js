// A file exports a hundred thousand names, each of which would become an export of a module.
// ends: time limit or memory limit or exception
fs.writeFileSync('/a.js', 'for (let i = 0; i < 1e5; i++) exports["n" + i] = i;');
for (;;) {
  const names = await import('/a.js');
  for (let i = 0; i < 1e5; i++) names['n' + i];
}
