// The replacement names all groups of the match a thousand times.
// ends: time limit or memory limit
const expression = new RegExp('(.)'.repeat(99), 'gs');
const text = 'x'.repeat(99 * 20);
for (;;) text.replace(expression, '$1$50$99$&'.repeat(1000));
