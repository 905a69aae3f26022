// Parses JSON that is nested as deep as can be, again and again, and keeps all of it.
// ends: memory limit or exception or recursion limit
// grows: 128 MiB
const kept = [], text = '['.repeat(1000) + ']'.repeat(1000);
for (;;) kept.push(JSON.parse(text));
