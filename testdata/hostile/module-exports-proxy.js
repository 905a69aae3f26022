// What a file exports is a proxy that never says what it has.
// ends: time limit
fs.writeFileSync('/a.js', 'module.exports = new Proxy({}, { ownKeys() { for (;;) {} } });');
await import('/a.js');
