// The method indexOf looks for a value that is not there in an array-like object of the greatest length.
// ends: time limit
return [].indexOf.call({ length: 2 ** 53 - 1 }, 1);
