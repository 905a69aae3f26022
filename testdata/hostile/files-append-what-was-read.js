// A file is appended to itself.
// ends: exception Error or memory limit
fs.writeFileSync('/a', 'x'.repeat(1000));
for (;;) fs.appendFileSync('/a', fs.readFileSync('/a'));
