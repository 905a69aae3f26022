// The same module is imported a hundred thousand times at once.
// ends: time limit or memory limit
fs.writeFileSync('/a.js', 'export default 1;');
for (;;) await Promise.all(Array.from({ length: 1e4 }, () => import('/a.js')));
