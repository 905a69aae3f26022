// An object that is nested a hundred thousand times is written to the console, and so is a list of it.
// ends: returns undefined
let nested = {};
for (let i = 0; i < 1e5; i++) nested = i % 2 ? { nested } : [nested];
console.log(nested, new Map([[nested, nested]]), new Set([nested]));
