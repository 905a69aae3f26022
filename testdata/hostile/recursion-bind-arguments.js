// Each time a function is bound it gets arguments, which are all put together at the call.
// ends: exception RangeError or memory limit
let f = (...args) => args.length;
for (let i = 0; i < 3000; i++) f = f.bind(null, ...new Array(30).fill(i));
return f();
