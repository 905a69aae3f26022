// Math.hypot and Math.max get tens of thousands of objects that have to be converted.
// ends: time limit
const values = new Array(5e4).fill({ valueOf: () => 1 });
for (;;) Math.hypot(...values) + Math.max(...values);
