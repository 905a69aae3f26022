// A module that is imported never gets to its end.
// ends: time limit
fs.writeFileSync('/a.js', 'export default 1; for (;;) {}');
await import('/a.js');
