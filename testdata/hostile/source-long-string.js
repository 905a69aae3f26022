// A text that consists of escapes is parsed without an end.
// ends: time limit or memory limit
const text = '"' + '\\u{1f600}\\x41\\n\\\n'.repeat(1e5) + '"';
for (;;) (0, eval)(text);
