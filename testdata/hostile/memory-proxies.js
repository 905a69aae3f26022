// Proxies are kept, each with a target and a handler of its own.
// ends: memory limit
const proxies = [];
for (;;) proxies.push(new Proxy({}, {}));
