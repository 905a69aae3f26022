// The trap for keys returns an array-like object of the greatest length.
// ends: time limit or memory limit or exception
return Object.keys(new Proxy({}, { ownKeys: () => ({ length: 2 ** 32 - 1 }) }));
