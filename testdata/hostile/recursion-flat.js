// An array that contains itself is flattened to any depth.
// ends: exception RangeError
const array = [];
array[0] = array;
array.flat(Infinity);
