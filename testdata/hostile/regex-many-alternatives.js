// A hundred thousand alternatives are tried at each place.
// ends: time limit
const words = Array.from({ length: 1e5 }, (_, i) => 'w' + i);
const expression = new RegExp(words.join('|'));
return expression.test('w'.repeat(1e5));
