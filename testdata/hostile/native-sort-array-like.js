// The method sort collects the holes of an object that claims 2**53 - 1 elements before it can begin.
// ends: time limit
[].sort.call({ length: 2 ** 53 - 1 });
