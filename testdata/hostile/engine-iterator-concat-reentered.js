// An iterator of several iterables is used, and ended, by the iterables that it goes through.
// ends: returns TypeError TypeError TypeError
const names = [];
const attempt = (f) => { try { f(); names.push('none'); } catch (e) { names.push(e.name); } };
for (let i = 0; i < 100; i++) {
  let all;
  const iterable = {
    [Symbol.iterator]() {
      attempt(() => all.return());
      return {
        get next() { attempt(() => all.next()); return () => ({ done: true }); },
        get return() { attempt(() => all.return()); },
      };
    },
  };
  all = Iterator.concat(iterable, [{}, {}]);
  all.next();
  attempt(() => Iterator.concat(iterable, 5));
  all.return();
  all.next();
}
return names.slice(0, 3).join(' ');
