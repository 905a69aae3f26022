// A table has thousands of rows, each with a column of its own.
// ends: time limit or memory limit
const rows = [];
for (let i = 0; i < 3000; i++) rows.push({ ['c' + i]: i });
for (;;) console.table(rows);
