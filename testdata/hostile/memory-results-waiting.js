// Hundreds of calls, each of which answers with what it was given, are under way before any answer is looked at.
// ends: memory limit or time limit or exception
const text = 'x'.repeat(1e6);
for (;;) later(text);
