// A property that is nowhere is looked for along a chain of a hundred thousand prototypes.
// ends: time limit
let object = {};
for (let i = 0; i < 1e5; i++) object = Object.create(object);
for (;;) object.missing;
