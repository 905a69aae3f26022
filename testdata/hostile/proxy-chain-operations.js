// All operations go through chains of proxies that are just short enough.
// ends: time limit
let proxy = {};
for (let i = 0; i < 500; i++) proxy = new Proxy(proxy, {});
for (;;) {
  proxy.a = 1;
  delete proxy.a;
  Object.keys(proxy);
  Object.isExtensible(proxy);
  'a' in proxy;
}
