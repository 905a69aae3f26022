// The method lastIndexOf looks for a value that is not there, from the end of an array-like object of the greatest length.
// ends: time limit
return [].lastIndexOf.call({ length: 2 ** 53 - 1 }, 1);
