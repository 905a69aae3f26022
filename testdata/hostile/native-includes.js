// The method includes reads each index of an array-like object, holes too.
// ends: time limit
return [].includes.call({ length: 2 ** 53 - 1 }, 1);
