// An array that is a proxy claims to have four billion elements.
// ends: time limit or memory limit
const array = new Proxy([], { get: (target, name) => (name === 'length' ? 2 ** 32 - 1 : undefined) });
return JSON.stringify(array).length;
