// Arguments and arrays are spread into one another.
// ends: memory limit or exception RangeError
let array = [1, 2, 3];
for (;;) array = [...array, ...array];
