// The method isPrototypeOf follows a chain of prototypes that goes in a circle by a trap.
// ends: time limit
const endless = new Proxy({}, { getPrototypeOf: () => new Proxy(endless, {}) });
return Array.prototype.isPrototypeOf(endless);
