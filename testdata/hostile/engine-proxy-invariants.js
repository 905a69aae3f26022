// Traps answer what the standard does not allow, and each answer must be refused.
// ends: returns 8 refused
const fixed = Object.freeze({ a: 1 });
const closed = Object.preventExtensions({ a: 1 });
const attempts = [
  () => new Proxy(fixed, { get: () => 2 }).a,
  () => 'a' in new Proxy(fixed, { has: () => false }),
  () => delete new Proxy(fixed, { deleteProperty: () => true }).a,
  () => Object.keys(new Proxy(closed, { ownKeys: () => ['a', 'b'] })),
  () => Object.getPrototypeOf(new Proxy(closed, { getPrototypeOf: () => Array.prototype })),
  () => Object.isExtensible(new Proxy(closed, { isExtensible: () => true })),
  () => Object.getOwnPropertyDescriptor(
    new Proxy(closed, { getOwnPropertyDescriptor: () => ({ value: 1, configurable: false }) }), 'a'),
  () => Object.defineProperty(new Proxy(closed, { defineProperty: () => true }), 'c', { value: 1 }),
];
let refused = 0;
for (const attempt of attempts) {
  try {
    attempt();
  } catch (error) {
    if (error instanceof TypeError) refused++;
  }
}
return refused + ' refused';
