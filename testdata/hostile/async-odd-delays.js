// Delays that are no numbers, negative or without end must neither hang nor overflow.
// ends: returns 8 fired
let fired = 0;
const delays = [NaN, -1, -Infinity, Infinity, 2 ** 31, '0', null, { valueOf: () => 0 }];
const wait = (delay) => new Promise((resolve) => setTimeout(() => resolve(fired++), delay));
await Promise.all(delays.map(wait));
return fired + ' fired';
