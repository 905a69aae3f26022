// The method toLocaleString goes through an array that is nested a hundred thousand times.
// ends: exception RangeError
let nested = [];
for (let i = 0; i < 1e5; i++) nested = [nested];
return nested.toLocaleString();
