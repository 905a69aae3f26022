// The method groupBy makes a group for each of a million values, and forgets them.
// ends: time limit or memory limit
const values = Array.from({ length: 1e5 }, (_, i) => i);
for (;;) Object.groupBy(values, (n) => 'g' + n);
