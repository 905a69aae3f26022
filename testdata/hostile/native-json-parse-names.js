// An object with a hundred thousand different names is parsed.
// ends: time limit or memory limit
const text = '{' + Array.from({ length: 1e5 }, (_, i) => `"n${i}":0`).join() + '}';
for (;;) JSON.parse(text);
