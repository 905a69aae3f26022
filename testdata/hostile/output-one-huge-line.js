// One line has more characters than the output may have, and is cut off.
// ends: returns undefined
console.log('x'.repeat(2e7));
