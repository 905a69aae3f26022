// Properties whose names are numbers are sorted each time they are listed.
// ends: time limit or memory limit
const object = {};
for (let i = 1e5; i > 0; i--) object[i * 3] = i;
for (;;) Object.getOwnPropertyNames(object);
