// A getter of what an async generator awaits resumes and ends the generator before it gets the value.
// ends: returns survived
for (let round = 0; round < 20; round++) {
  let generator, hits = 0, inside = false;
  const [first, second, third] = [0, 1, 2].map(() => Promise.withResolvers());
  Object.defineProperty(Object.prototype, 'then', {
    configurable: true,
    get() {
      if (inside || !generator) return undefined;
      inside = true;
      switch (hits++) {
        case 0:
          generator.return(round);
          break;
        case 1:
          generator.next();
          generator.return();
      }
      inside = false;
      return undefined;
    },
  });
  async function* steps() {
    try {
      await first.promise;
      yield 'a';
      await second.promise;
      yield 'b';
      await third.promise;
    } finally {
      await third.promise;
    }
  }
  const run = async () => {
    generator = steps();
    generator.next();
    first.resolve({});
    await Promise.resolve();
    await Promise.resolve();
    second.resolve({});
    third.resolve({});
    await Promise.resolve();
  };
  run();
  for (let i = 0; i < 20; i++) await undefined;
  delete Object.prototype.then;
}
return 'survived';
