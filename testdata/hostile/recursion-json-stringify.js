// An array that is nested tens of thousands of times becomes JSON.
// ends: exception RangeError or time limit
let nested = [];
for (let i = 0; i < 2e4; i++) nested = [nested];
return JSON.stringify(nested);
