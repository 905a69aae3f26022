// Each getter that is read adds another one behind it.
// ends: time limit or memory limit
const object = {};
let n = 0;
const add = () => Object.defineProperty(object, 'p' + n++, { get: add, enumerable: true, configurable: true });
add();
for (;;) Object.assign({}, object);
