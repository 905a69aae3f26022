// The method isPrototypeOf and the operator instanceof walk a chain of a hundred thousand prototypes to its end.
// ends: time limit
let object = Object.create(null);
for (let i = 0; i < 1e5; i++) object = Object.create(object);
class Other {}
for (;;) Other.prototype.isPrototypeOf(object) || object instanceof Other;
