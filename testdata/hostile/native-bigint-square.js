// A number is squared until the engine refuses to make it larger.
// ends: exception RangeError or time limit
let x = 3n;
for (;;) x = x * x;
