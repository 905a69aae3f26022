// The smallest number is written in base 2, with more than a thousand digits.
// ends: time limit
for (;;) Number.MIN_VALUE.toString(2) + Number.MAX_VALUE.toString(36) + Math.PI.toString(3);
