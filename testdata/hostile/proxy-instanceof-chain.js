// The prototypes of an object are asked of a trap that always has another one.
// ends: time limit
const endless = new Proxy({}, { getPrototypeOf: () => endless });
return endless instanceof Array;
