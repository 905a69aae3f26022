// One cell of a table is a megabyte wide, and all others are filled up with spaces.
// ends: time limit or memory limit
const rows = Array.from({ length: 1000 }, (_, i) => ({ a: i === 500 ? 'x'.repeat(1e6) : '' }));
for (;;) console.table(rows);
