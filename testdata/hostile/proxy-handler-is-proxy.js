// The handler of a proxy is a proxy, whose handler is a proxy, and so on.
// ends: exception RangeError or time limit
let handler = {};
for (let i = 0; i < 1e5; i++) handler = new Proxy({}, handler);
return new Proxy({}, handler).anything;
