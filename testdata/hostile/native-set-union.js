// Unions of large sets are made and forgotten.
// ends: time limit or memory limit
const a = new Set(Array.from({ length: 1e5 }, (_, i) => i));
const b = new Set(Array.from({ length: 1e5 }, (_, i) => -i));
for (;;) a.union(b).symmetricDifference(a).isSubsetOf(b);
