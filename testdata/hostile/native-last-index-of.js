// lastIndexOf goes the same way from the end.
// ends: time limit
return [].lastIndexOf.call({ length: 2 ** 53 - 1 }, 1);
