// An array of four billion holes is shown.
// ends: time limit or memory limit
console.log(new Array(2 ** 32 - 1));
