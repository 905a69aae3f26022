// Each character of a long text becomes nine.
// ends: time limit or memory limit
const text = '€'.repeat(2e5);
for (;;) decodeURIComponent(encodeURIComponent(text));
