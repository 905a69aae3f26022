// The method join puts four billion empty strings together.
// ends: time limit or memory limit
return new Array(2 ** 32 - 1).join('').length;
