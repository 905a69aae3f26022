// A function that is a proxy of a proxy of a function is called, bound and constructed.
// ends: time limit
let callable = function () {};
for (let i = 0; i < 200; i++) callable = new Proxy(callable, {});
for (;;) new (callable.bind(null))(callable());
