// The result is a text that is longer than the output may be.
// ends: returns 5000000
const result = 'x'.repeat(5e6);
console.log(result);
return result.length;
