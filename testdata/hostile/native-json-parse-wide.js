// A long list is parsed again and again.
// ends: time limit
const text = JSON.stringify(Array(1e5).fill({ a: 1 }));
for (;;) JSON.parse(text);
