// Numbers are written with as many digits as there may be.
// ends: time limit
for (;;) (1e20).toFixed(100) + Number.MIN_VALUE.toPrecision(100) + (1 / 3).toExponential(100);
