// The method findLast reads from the end of an array-like object and calls a native function each time.
// ends: time limit
return [].findLast.call({ length: 2 ** 53 - 1 }, Boolean);
