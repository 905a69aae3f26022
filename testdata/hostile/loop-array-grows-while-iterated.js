// The callback of a native reduce shrinks the array to nothing and grows it again, so that holes are skipped without any call.
// ends: time limit
const array = [1, 2, 3];
array.length = 2 ** 32 - 1;
return array.reduce((sum, n) => sum + n, 0);
