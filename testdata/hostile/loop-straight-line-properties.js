// A million property accesses without a loop are run again and again.
// ends: time limit
const longWay = new Function('let x = { y: 1 };' + 'x.y;'.repeat(1e6));
for (;;) longWay();
