// Thousands of writes to one file are started at once.
// ends: time limit or memory limit
for (;;) await Promise.all(Array.from({ length: 2000 }, (_, i) => fs.appendFile('/a', 'line ' + i)));
