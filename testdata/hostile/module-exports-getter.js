// What a file exports has a getter that does not come back, and imports look at each name.
// ends: time limit
fs.writeFileSync('/a.js', 'module.exports = { get x() { for (;;) {} } };');
await import('/a.js');
