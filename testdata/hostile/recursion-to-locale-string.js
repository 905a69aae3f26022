// The same by toLocaleString, which calls itself on each element.
// ends: exception RangeError
let nested = [];
for (let i = 0; i < 1e5; i++) nested = [nested];
return nested.toLocaleString();
