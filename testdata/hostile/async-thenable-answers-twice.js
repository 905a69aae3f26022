// A thenable resolves, rejects, throws and resolves again, from within its own then.
// ends: returns 1
return {
  then(resolve, reject) {
    resolve(1);
    reject(2);
    queueMicrotask(() => resolve(3));
    throw 4;
  },
};
