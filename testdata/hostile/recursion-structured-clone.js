// An object that is nested a hundred thousand times is cloned.
// ends: exception
let nested = {};
for (let i = 0; i < 1e5; i++) nested = { nested };
structuredClone(nested);
