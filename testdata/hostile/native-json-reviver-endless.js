// A reviver that does nothing is called for each element of a long list, again and again.
// ends: time limit
for (;;) JSON.parse('[' + '[0],'.repeat(1e4) + '0]', (key, value) => value);
