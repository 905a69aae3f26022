// A proxy of an array claims another length each time it is asked.
// ends: time limit or memory limit
let n = 0;
const growing = new Proxy([], { get: (target, name) => (name === 'length' ? ++n * 1e9 : 0) });
return [].join.call(growing, '').length;
