// A text of equal characters is looked for in a longer one, which almost matches everywhere.
// ends: time limit
const text = 'a'.repeat(2e6);
const wanted = 'a'.repeat(1e6) + 'b';
return text.indexOf(wanted);
