// The names of an object with two hundred thousand properties are listed again and again.
// ends: time limit or memory limit
const object = {};
for (let i = 0; i < 2e5; i++) object['p' + i] = i;
for (;;) Object.keys(object).length;
