// A value is passed up through tens of thousands of native iterators, with no code of the script between their calls.
// ends: exception RangeError
let iterator = [1, 2, 3].values();
for (let i = 0; i < 5e4; i++) iterator = iterator.map((x) => x);
return iterator.next().value;
