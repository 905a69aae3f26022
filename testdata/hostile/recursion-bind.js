// A function is bound a hundred thousand times, and called once.
// ends: memory limit or exception RangeError
let f = (x) => x;
for (let i = 0; i < 1e5; i++) f = f.bind(null);
return f(1);
