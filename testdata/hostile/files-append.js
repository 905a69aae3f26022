// A file grows by one character at a time.
// ends: time limit
for (;;) fs.appendFileSync('/a', 'x');
