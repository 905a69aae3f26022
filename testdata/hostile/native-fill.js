// The method fill makes more elements than the memory limit has room for.
// ends: memory limit
new Array(2 ** 32 - 2).fill(0);
