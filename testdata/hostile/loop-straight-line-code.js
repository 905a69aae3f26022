// A million statements without a loop are run again and again, so that a check at the loop comes seldom.
// ends: time limit
const longWay = new Function('let x = 1;' + 'x+x;'.repeat(1e6));
for (;;) longWay();
