// Asks for the JSON of an object that is larger each time that it is asked for.
// ends: memory limit or exception or returns 1
// grows: 128 MiB
let n = 1;
const larger = {toJSON() { n *= 64; return new Array(Math.min(n, 5e5)).fill([]); }};
for (let i = 0; i < 4; i++) JSON.stringify(larger);
return 1;
