// An operation goes through a hundred thousand proxies, one inside of the other, without any code of the script.
// ends: exception RangeError
let proxy = {};
for (let i = 0; i < 1e5; i++) proxy = new Proxy(proxy, {});
return proxy.missing;
