// The arguments of a function are changed by way of its parameters, frozen, and given more than they had.
// ends: returns ok
const mapped = new Function('a', 'b',
  'arguments[0] = 1; a = 2; Object.defineProperty(arguments, 0, { writable: false }); a = 3; delete arguments[1]; b = 4; arguments.length = 1e9; arguments[5] = 1; Object.freeze(arguments); return Array.from({ length: 3 }, (_, i) => arguments[i]).join()');
for (let i = 0; i < 100; i++) mapped(5, 6, 7);
return 'ok';
