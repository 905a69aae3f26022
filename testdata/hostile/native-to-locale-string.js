// Each element of a long array is asked for its text in the user's language.
// ends: time limit
const array = new Array(1e5).fill(123456.789);
for (;;) array.toLocaleString('en-US');
