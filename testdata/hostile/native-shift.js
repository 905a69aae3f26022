// The method shift moves the holes of an array-like object one place down.
// ends: time limit
[].shift.call({ length: 2 ** 53 - 1 });
