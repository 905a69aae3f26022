// An array that is nested a hundred thousand times becomes text.
// ends: exception RangeError
let nested = [];
for (let i = 0; i < 1e5; i++) nested = [nested];
return nested.toString();
