// Functions with names and sources of a megabyte are shown.
// ends: time limit
const name = 'x'.repeat(1e6);
const functions = { [name]: () => {} };
for (;;) console.log(functions, functions[name]);
