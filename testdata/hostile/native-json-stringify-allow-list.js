// A list of a hundred thousand names says what to show of each of many objects.
// ends: time limit
const names = Array.from({ length: 1e5 }, (_, i) => 'n' + i);
for (;;) JSON.stringify([{}, {}, {}, {}], names);
