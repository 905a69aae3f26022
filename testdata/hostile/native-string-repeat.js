// The method repeat makes strings that just fit, one after the other.
// ends: time limit
for (;;) 'abcdefghij'.repeat(2e6);
