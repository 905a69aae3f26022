// A hundred thousand parameters are parsed and sorted.
// ends: time limit or memory limit
for (;;) new URLSearchParams('&a'.repeat(1e5)).sort();
