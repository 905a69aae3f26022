// A comparison that never agrees with itself sorts without being able to finish anything.
// ends: time limit
const array = Array.from({ length: 5000 }, (_, i) => i);
let n = 0;
for (;;) array.sort(() => (n++ % 3) - 1);
