// The same with statements that look up properties.
// ends: time limit
const longWay = new Function('let x = { y: 1 };' + 'x.y;'.repeat(1e6));
for (;;) longWay();
