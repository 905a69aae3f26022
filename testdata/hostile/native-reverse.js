// The method reverse swaps the holes of an array-like object.
// ends: time limit
[].reverse.call({ length: 2 ** 53 - 1 });
