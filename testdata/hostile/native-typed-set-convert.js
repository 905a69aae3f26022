// The method set converts each element of a large array to another type.
// ends: time limit
const source = new Float64Array(2e6).fill(1.5);
const target = new Int16Array(2e6);
for (;;) target.set(source);
