// Array.isArray looks through each proxy for an array at the end of a very long chain.
// ends: exception or time limit or memory limit or returns true
let proxy = [];
for (let i = 0; i < 3e5; i++) proxy = new Proxy(proxy, {});
return Array.isArray(proxy);
