// A sticky expression goes through a text with an index that is reset when it fails.
// ends: time limit
const expression = /a|(a*)*b/y;
const text = 'a'.repeat(1000);
for (;;) expression.test(text);
