// Clones an object that is in it a million times.
// ends: memory limit or exception or returns 1000000
// grows: 128 MiB
return structuredClone(new Array(1e6).fill({a: 1})).length;
