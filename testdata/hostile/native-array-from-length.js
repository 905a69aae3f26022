// Array.from makes an array of an object that has only a length.
// ends: memory limit
return Array.from({ length: 2 ** 32 - 1 }).length;
