// Arguments that JSON has no words for, and names that mean something.
// ends: returns [null,null,null,null,null,"10",{"__proto__":1},[null]]
const named = JSON.parse('{"__proto__": 1}');
return JSON.stringify(echo(undefined, NaN, Infinity, () => {}, Symbol('x'), 10n, named, [,]));
