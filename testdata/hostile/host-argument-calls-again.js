// The toJSON of an argument calls the same function with another argument of its kind, to some depth.
// ends: returns 500
let calls = 0;
const argument = (n) => ({ toJSON: () => (calls++, n > 0 ? echo(argument(n - 1))[0] : 'end') });
echo(argument(499));
return calls;
