// The same with native helpers, whose calls no code of the script is between.
// ends: exception RangeError
let iterator = [1, 2, 3].values();
for (let i = 0; i < 5e4; i++) iterator = iterator.map((x) => x);
return iterator.next().value;
