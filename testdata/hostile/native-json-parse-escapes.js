// A string that consists of escapes only is parsed.
// ends: time limit
const text = '"' + '\\ud83d\\ude00'.repeat(2e5) + '"';
for (;;) JSON.parse(text);
