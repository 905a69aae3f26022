// The constructor that then uses makes promises that call then again.
// ends: time limit or exception
class Again extends Promise {
  static get [Symbol.species]() {
    return Again;
  }
  then(done, failed) {
    return super.then(done, failed).finally(() => {});
  }
}
await Again.resolve(1);
