// A generator that never returns is consumed by a loop.
// ends: time limit
function* ones() {
  for (;;) yield 1;
}
let sum = 0;
for (const one of ones()) sum += one;
return sum;
