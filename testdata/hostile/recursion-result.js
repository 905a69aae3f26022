// The result is nested a hundred thousand times.
// ends: time limit
let nested = [];
for (let i = 0; i < 1e5; i++) nested = [nested];
return nested;
