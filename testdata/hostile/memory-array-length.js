// A thousand arrays say that they are as long as can be, which must cost nothing.
// ends: returns 4294967295000
let sum = 0;
for (let i = 0; i < 1000; i++) {
  const array = [];
  array.length = 2 ** 32 - 1;
  sum += array.length;
}
return sum;
