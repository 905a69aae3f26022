// The method then of promises is replaced, and with it what await could call.
// ends: returns x,1
const wrong = () => {
  throw new Error('then');
};
Promise.prototype.then = Promise.prototype.catch = Promise.prototype.finally = Promise.resolve =
  Promise.reject = Promise.all = wrong;
await fs.writeFile('/a', 'x');
return [await fs.readFile('/a', 'utf8'), (await later(1))[0]].join();
