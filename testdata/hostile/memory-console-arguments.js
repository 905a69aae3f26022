// An object is written to the console that is many times larger in text, so that it cannot be shown.
// ends: memory limit or returns undefined
const row = new Array(1000).fill('x'.repeat(1000));
console.log(new Array(1000).fill(row));
