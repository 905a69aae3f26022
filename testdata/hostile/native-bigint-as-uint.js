// A negative number is wrapped to a million bits, and shifted back.
// ends: time limit
for (;;) BigInt.asUintN(1e6, -1n) >> 999999n;
