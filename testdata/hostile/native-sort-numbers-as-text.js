// Sorting numbers without a comparison turns two of them into text for each step.
// ends: time limit
const array = Array.from({ length: 1e5 }, (_, i) => -i);
for (;;) array.slice().sort();
