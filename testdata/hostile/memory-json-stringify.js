// A text is in the JSON of a list ten thousand times.
// ends: memory limit
const text = 'x'.repeat(1e5);
return JSON.stringify(new Array(1e4).fill(text)).length;
