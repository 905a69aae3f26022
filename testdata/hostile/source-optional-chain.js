// An optional chain is a hundred thousand links long.
// ends: time limit or exception or memory limit or returns undefined
return eval('undefined' + '?.a'.repeat(1e5));
