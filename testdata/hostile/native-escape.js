// Old functions for escaping make six characters of each.
// ends: time limit or memory limit
const text = '\u20ac'.repeat(2e5);
for (;;) unescape(escape(text));
