// The method unshift moves the holes of an array-like object one place up.
// ends: time limit
[].unshift.call({ length: 2 ** 53 - 2 }, 'first');
