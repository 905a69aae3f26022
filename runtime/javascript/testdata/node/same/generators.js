// Generators that are suspended in every place where the engine has something on its stack, above all in the heads of loops.
const inner = function* () { return yield 'inner'; };
const closing = (log) => ({
  [Symbol.iterator]() {
    let n = 0;
    return { next: () => (n++ < 2 ? { value: [n], done: false } : { value: undefined, done: true }), return: () => {
      log.push('closed');
      return {};
    } };
  },
});
const bodies = {
  of: `for (const x of yield 1) l.push(x); return 'e'`,
  ofLet: `for (let x of yield 1) l.push(x); return 'e'`,
  ofVar: `for (var x of yield 1) l.push(x); return 'e'`,
  ofExisting: `let x; for (x of yield 1) l.push(x); return 'e'`,
  ofMember: `const o={}; for (o.x of yield 1) l.push(o.x); return 'e'`,
  ofMemberYield: `const o={}; for (o[yield 1] of yield 2) l.push(Object.entries(o).join()); return 'e'`,
  ofDestruct: `for (const [a, b = yield 5] of yield 1) l.push(a, b); return 'e'`,
  ofDestructObj: `for (const {a, [yield 'k']: b = yield 5} of yield 1) l.push(a, b); return 'e'`,
  ofStar: `for (const x of yield* inner()) l.push(x); return 'e'`,
  ofNested: `for (const x of yield 1) for (const y of yield x) l.push(y); return 'e'`,
  ofInTry: `try { for (const x of yield 1) l.push(x) } finally { l.push('f') } return 'e'`,
  ofInTryYield: `try { for (const x of yield 1) l.push(x) } finally { l.push(yield 'fin') } return 'e'`,
  ofInTryCatch: `try { for (const x of yield 1) l.push(x) } catch (e) { l.push('c' + (e.name || e)) } return 'e'`,
  ofInOf: `for (const y of [[1]]) { for (const x of yield y) l.push(x); } return 'e'`,
  ofInOfLabel: `o: for (const y of closing(l)) { for (const x of yield y) { l.push(x); continue o } } return 'e'`,
  ofInOfBreak: `o: for (const y of closing(l)) { for (const x of yield y) { l.push(x); break o } } return 'e'`,
  ofBreak: `for (const x of yield 1) { l.push(x); break } return 'e'`,
  ofBody: `for (const x of yield 1) { l.push(yield x) } return 'e'`,
  ofReturn: `for (const x of yield 1) { return x } return 'e'`,
  ofTwice: `for (const x of (yield 1, yield 2)) { l.push(x) } return 'e'`,
  ofArray: `for (const x of [yield 1, yield 2]) { l.push(x) } return 'e'`,
  ofClosure: `const f=[]; for (const x of yield 1) { f.push(()=>x) } l.push(...f.map(f=>f())); return 'e'`,
  in_: `for (const x in yield 1) l.push(x); return 'e'`,
  inVar: `for (var x in yield 1) l.push(x); return 'e'`,
  inLhs: `const o = {}; for (o[yield 1] in yield 2) l.push(Object.values(o)+''); return 'e'`,
  inTry: `try { for (const x in yield 1) l.push(x) } finally { l.push('f') } return 'e'`,
  inInOf: `for (const y of closing(l)) for (const x in yield 1) l.push(x); return 'e'`,
  ofInIn: `for (const y in {a:1}) for (const x of yield y) l.push(x); return 'e'`,
  forHead: `for (let i = yield 1; i < (yield 2); i += (yield 3)) l.push(i); return 'e'`,
  switchHead:
    `switch (yield 1) { case yield 2: l.push('two'); break; case 5: l.push('five'); default: l.push('d') } return 'e'`,
  switchInOf: `for (const y of closing(l)) switch (yield 1) { case yield 2: l.push('two'); continue; default: l.push('d') } return 'e'`,
  switchBody: `switch (yield 1) { case 5: l.push(yield 'in'); } return 'e'`,
  switchOf: `switch (yield 1) { case 5: for (const x of yield 2) l.push(x) } return 'e'`,
  template: 'l.push(`a${yield 1}b${yield 2}c`); return \'e\'',
  tagged: 'l.push(String.raw`a${yield 1}b${yield 2}c`); return \'e\'',
  spread: `l.push(1, ...(yield 1), yield 2); return 'e'`,
  spreadArr: `l.push([1, ...yield 1, yield 2].join()); return 'e'`,
  spreadObj: `l.push(JSON.stringify({a: yield 1, ...yield 2, [yield 3]: 4})); return 'e'`,
  newSpread: `l.push(new Array(...(yield 1)).length); return 'e'`,
  call: `l.push(Math.max(yield 1, yield 2)); return 'e'`,
  optional: `l.push((yield 1)?.[yield 2]?.(yield 3)); return 'e'`,
  with_: `with (yield 1) { l.push(typeof a) } return 'e'`,
  withOf: `with ({q: 1}) { for (const x of yield 1) l.push(x + q) } return 'e'`,
  destructDefault: `const [a = yield 1, b = yield 2, ...c] = yield 0; l.push(a, b, c+''); return 'e'`,
  destructObj: `const {a = yield 1, [yield 2]: b, ...c} = yield 0; l.push(a, b, JSON.stringify(c)); return 'e'`,
  destructAssign: `const o={}; [o[yield 1], o.b = yield 2] = yield 0; l.push(JSON.stringify(o)); return 'e'`,
  destructInOf: `for (const y of closing(l)) { const [a = yield 1] = yield 0; l.push(a); } return 'e'`,
  assign: `const o={a:1}; o[yield 1] = yield 2; o.a += yield 3; o.b ??= yield 4; o.a ||= yield 5; l.push(JSON.stringify(o)); return 'e'`,
  binary: `l.push(1 + (yield 1) * (yield 2)); l.push((yield 3) in {a:1}); return 'e'`,
  cond: `l.push((yield 1) ? yield 2 : yield 3); return 'e'`,
  throwY: `try { throw yield 1 } catch (e) { l.push(e) } return 'e'`,
  returnY: `for (const y of closing(l)) return yield y`,
  doWhile: `let n=0; do { l.push(n++) } while ((yield 1) && n < 3); return 'e'`,
  while_: `let n=0; while ((yield 1) && n < 3) l.push(n++); return 'e'`,
  ifY: `if (yield 1) l.push('t'); else l.push('f'); return 'e'`,
  starOf: `for (const y of closing(l)) for (const x of yield* inner()) l.push(x); return 'e'`,
  deleteY: `const o={a:1}; l.push(delete o[yield 1]); l.push(typeof (yield 2)); return 'e'`,
  incr: `const o={a:1}; o[yield 1]++; l.push(JSON.stringify(o)); return 'e'`,
  finallyOf: `try { l.push(0) } finally { for (const x of yield 1) l.push(x) } return 'e'`,
  finallyOfRet: `try { return 'r' } finally { for (const x of yield 1) l.push(x) }`,
  finallyOfThrow: `try { throw 't' } finally { for (const x of yield 1) l.push(x) }`,
  catchOf: `try { throw 't' } catch (e) { for (const x of yield 1) l.push(x, e) } return 'e'`,
  defaultParam: `const f = function (a) { return a }; l.push(f(yield 1)); return 'e'`,
  comma: `yield 1, yield 2; return 'e'`,
};
const sent = [[5, 6], 'xy', undefined];
const out = {};

// drive resumes a generator six times with a value, or once with return or throw.
const drive = async (generator, how, at, value) => {
  const answers = [];
  try {
    answers.push((await generator.next()).value);
    for (let i = 0; i < 6; i++) {
      const { value: given, done } = await (how !== 'next' && i === at ? generator[how]('X')
        : generator.next(typeof value === 'object' || i % 2 === 0 ? value : [1, 2]));
      answers.push(given);
      if (done) return [...answers, 'done'];
    }
  } catch (e) {
    answers.push(e.name ?? e);
  }
  return answers;
};

module.exports = (async () => {
  for (const kind of ['function*', 'async function*', 'for await']) {
    for (const [name, body] of Object.entries(bodies)) {
      if (kind === 'for await' && (!/ of /.test(body) || / in /.test(body))) continue;
      const source = kind === 'for await' ? body.replaceAll('for (', 'for await (') : body;
      const make = new Function('inner', 'closing',
        `return ${kind === 'for await' ? 'async function*' : kind} (l) { ${source} }`)(inner, closing);
      const lines = [];
      for (const value of sent) {
        for (const [how, at] of [['next', 0], ['return', 0], ['return', 1], ['throw', 0], ['throw', 1]]) {
          const l = [];
          const answers = await drive(make(l), how, at, value);
          lines.push(JSON.stringify([answers, l], (_, v) => (v === undefined ? 'undefined' : v)));
        }
      }
      out[`${kind} ${name}`] = lines.join('\n');
    }
  }
  return out;
})();
