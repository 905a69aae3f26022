// The method with copies an array of strings to change one of them.
// ends: time limit
let array = Array.from({ length: 2e5 }, (_, i) => 's' + i);
for (let i = 0; ; i++) array = array.with(i % array.length, 'changed');
