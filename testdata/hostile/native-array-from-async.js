// Array.fromAsync waits for each of four billion holes.
// ends: time limit or memory limit
return (await Array.fromAsync({ length: 2 ** 32 - 1 })).length;
