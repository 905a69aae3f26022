// A file is read again and again, and each copy is kept.
// ends: memory limit
fs.writeFileSync('/a', 'x'.repeat(2e6));
const kept = [];
for (;;) kept.push(fs.readFileSync('/a', 'utf8'));
