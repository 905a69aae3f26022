// An object with a hundred thousand properties is shown again and again.
// ends: time limit
const object = {};
for (let i = 0; i < 1e5; i++) object['p' + i] = { i };
for (;;) console.log(object);
