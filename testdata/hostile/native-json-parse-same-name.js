// One name is given a hundred thousand times, and each time replaces the one before.
// ends: time limit
const text = '{' + '"name":"value",'.repeat(1e5) + '"name":0}';
for (;;) JSON.parse(text);
