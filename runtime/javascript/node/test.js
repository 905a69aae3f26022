// node:test: tests run one after the other, and the console shows what comes of them. If one fails, so does the run.
(function (kernel, require, module, exports) {
  'use strict';
  const { define, unavailable } = require('internal/errors');
  const { validateFunction } = require('internal/validators');
  define('ERR_TEST_FAILURE', Error, (text) => text);
  const errors = require('internal/errors');

  // A node is a test or a suite. Its children run in order, those of a suite when its function has returned.
  class TestNode {
    constructor(parent, isSuite, name, options, fn) {
      Object.assign(this, { parent, isSuite, name, options, fn });
      this.depth = parent === null ? -1 : parent.depth + 1;
      this.hooks = { before: [], after: [], beforeEach: [], afterEach: [] };
      this.queue = [];
      this.running = false;
      this.open = parent !== null; // children are refused at its end
      this.failures = 0; // of children
      this.skipped = options.skip;
      this.todo = options.todo;
      this.controller = new AbortController();
      this.done = new Promise((resolve) => { this.finish = resolve; });
    }
    get fullName() { return this.depth > 0 ? `${this.parent.fullName} > ${this.name}` : this.name; }

    // add runs a child when those before it have ended.
    add(child) {
      this.queue.push(child);
      if (!this.held && !this.running) this.drain();
      return child.done;
    }
    async drain() {
      this.running = true;
      while (this.queue.length > 0) await this.queue.shift().run();
      this.running = false;
      this.idle?.();
    }
    async children() {
      if (this.queue.length > 0 && !this.running) this.drain();
      if (this.running) await new Promise((resolve) => { this.idle = resolve; });
    }

    // hook runs functions of a kind: before and after of this one, the others also of those around it.
    async hook(kind, context) {
      for (const { fn, options } of this.hooks[kind]) await call(fn, context, options, `${kind} hook`);
    }
    async around(kind, context) {
      const nodes = [];
      for (let node = this.parent; node !== null; node = node.parent) {
        if (node.hooks[kind].length === 0) continue;
        if (kind === 'beforeEach') nodes.unshift(node); else nodes.push(node);
      }
      for (const node of nodes) await node.hook(kind, context);
    }
    async ready() { // the hooks before the first child
      this.begun ??= this.hook('before', this.context);
      await this.begun;
    }

    async run() {
      const problems = [];
      const attempt = async (what) => {
        try { await what(); } catch (error) { problems.push(error); }
      };
      const passive = this.skipped || this.parent.skipped;
      if (passive) this.skipped ||= true;
      if (this.isSuite && passive) this.queue = [];
      if (!passive) await attempt(() => this.work(attempt));
      this.controller.abort();
      if (this.failures > 0)
        problems.push(errors.ERR_TEST_FAILURE(`${this.failures} subtest${this.failures > 1 ? 's' : ''} failed`));
      report(this, problems);
      if (problems.length > 0 && !this.todo) this.parent.failures++;
      this.finish(undefined);
    }
    async work(attempt) {
      const { parent, context } = this;
      if (this.isSuite) {
        await this.collected;
        if (parent.hooks.before.length > 0) await parent.ready();
        if (this.hooks.before.length > 0) await this.ready();
        await this.children();
        await attempt(() => this.hook('after', context));
        return;
      }
      if (parent.hooks.before.length > 0) await parent.ready();
      await attempt(async () => {
        await this.around('beforeEach', context);
        await call(this.fn, context, this.options, 'test');
        await this.children();
        const { planned, counted } = this;
        if (planned !== undefined && planned !== counted)
          throw errors.ERR_TEST_FAILURE(`plan expected ${planned} assertions but received ${counted}`);
      });
      if (this.running) await this.children();
      await attempt(() => this.around('afterEach', context));
      await attempt(() => this.hook('after', context));
    }
  }

  // call runs a function of the script: its end is that of its promise, or of the callback that it takes.
  const call = (fn, context, { timeout = Infinity }, what) => {
    const result = fn.length < 2 ? Reflect.apply(fn, context, [context]) : new Promise((resolve, reject) => {
      const value = Reflect.apply(fn, context, [context, (error) => { if (error) reject(error); else resolve(); }]);
      if (typeof value?.then === 'function')
        reject(errors.ERR_TEST_FAILURE('passed a callback but also returned a Promise'));
    });
    if (timeout === Infinity || typeof result?.then !== 'function') return result;
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => { reject(errors.ERR_TEST_FAILURE(`${what} timed out after ${timeout}ms`)); }, timeout);
    });
    return Promise.race([result, late]).finally(() => { clearTimeout(timer); });
  };

  // report shows the end of a test, and before it the names of the suites around it.
  const counts = { tests: 0, suites: 0, pass: 0, fail: 0, skipped: 0, todo: 0 };
  const indented = (text, depth) => text.replace(/^(?=.)/gm, '  '.repeat(depth));
  const announce = (node) => {
    if (node.depth < 0 || node.announced) return;
    announce(node.parent);
    node.announced = true;
    console.log(indented(`▶ ${node.name}`, node.depth));
  };
  const report = (node, problems) => {
    const { skipped, todo, depth } = node;
    announce(node.parent);
    const failed = problems.length > 0;
    counts[node.isSuite ? 'suites' : 'tests']++;
    if (!node.isSuite) counts[skipped ? 'skipped' : todo ? 'todo' : failed ? 'fail' : 'pass']++;
    else if (failed && node.failures === 0) counts.fail++;
    const why = skipped ? ` # SKIP${typeof skipped === 'string' ? ` ${skipped}` : ''}`
      : todo ? ` # TODO${typeof todo === 'string' ? ` ${todo}` : ''}` : '';
    let text = `${skipped ? '﹣' : failed ? '✖' : '✔'} ${node.name}${why}`;
    const { inspect } = require('util');
    for (const problem of problems) {
      if (problem?.code === 'ERR_TEST_FAILURE' && node.failures > 0) continue; // the subtest has said why
      text += `\n${indented(inspect(problem), 1)}`;
    }
    for (const line of node.diagnostics ?? []) text += `\nℹ ${line}`;
    console.log(indented(text, depth));
  };

  const root = new TestNode(null, true, '<root>', {}, undefined);
  root.open = true;
  root.held = true;
  let current = root; // the suite whose function runs

  // start runs the tests when the script has come to its end, or to a pause, and sums up.
  let started = false;
  const start = () => {
    if (started) return;
    started = true;
    setImmediate(async () => {
      do {
        await root.children();
        await new Promise(setImmediate);
      } while (root.queue.length > 0);
      started = false;
      const problems = [];
      try { await root.hook('after', root.context); } catch (error) { problems.push(error); }
      root.hooks.after = [];
      const shown = Object.entries(counts).filter(([name, n]) => n > 0 || ['tests', 'pass', 'fail'].includes(name));
      console.log(`ℹ ${shown.map(([name, n]) => `${name} ${n}`).join(', ')}`);
      if (problems.length > 0) throw problems[0];
      if (root.failures > 0) throw errors.ERR_TEST_FAILURE(`tests failed: ${counts.fail}. The console says why.`);
    });
  };

  // given sorts out the arguments: a name, options and a function, each of which can be left out.
  const given = (name, options, fn, more) => {
    if (typeof name === 'function') fn = name;
    else if (name !== null && typeof name === 'object') [fn, options] = [options, name];
    else if (typeof options === 'function') fn = options;
    if (options === null || typeof options !== 'object') options = {};
    options = { ...options, ...more };
    if (fn !== undefined) validateFunction(fn, 'fn');
    return [typeof name === 'string' ? name : options.name || fn?.name || '<anonymous>', options, fn ?? (() => {})];
  };
  const addTest = (parent, args, more) => {
    const test = new TestNode(parent, false, ...given(...args, more));
    test.context = new TestContext(test);
    const { done } = test;
    parent.add(test);
    if (parent === root) start();
    return done;
  };
  const addSuite = (args, more) => {
    const parent = current;
    const suite = new TestNode(parent, true, ...given(...args, more));
    suite.held = true;
    suite.context = new SuiteContext(suite);
    current = suite;
    try {
      if (!suite.skipped) suite.collected = Reflect.apply(suite.fn, suite.context, [suite.context]);
      Promise.resolve(suite.collected).catch(() => {});
    } catch (error) {
      suite.collected = Promise.reject(error);
      suite.collected.catch(() => {});
    } finally {
      current = parent;
    }
    parent.add(suite);
    if (parent === root) start();
    return suite.done;
  };
  const three = (args) => [args[0], args[1], args[2]];

  class SuiteContext {
    #suite;
    constructor(suite) { this.#suite = suite; }
    get name() { return this.#suite.name; }
    get fullName() { return this.#suite.fullName; }
    get signal() { return this.#suite.controller.signal; }
  }
  class TestContext {
    #test;
    #mock;
    #assert;
    constructor(test) { this.#test = test; }
    get name() { return this.#test.name; }
    get fullName() { return this.#test.fullName; }
    get signal() { return this.#test.controller.signal; }
    get mock() {
      if (this.#mock === undefined) {
        this.#mock = new (require('internal/mock').MockTracker)();
        this.#test.hooks.after.push({ fn: () => { this.#mock.reset(); }, options: {} });
      }
      return this.#mock;
    }
    get assert() { // whose calls count for plan
      if (this.#assert === undefined) {
        this.#assert = {};
        for (const [name, f] of Object.entries(require('assert'))) {
          if (typeof f !== 'function' || /^[A-Z]|^strict$/.test(name)) continue;
          this.#assert[name] = (...args) => { this.#count(); return f(...args); };
        }
      }
      return this.#assert;
    }
    #count() { this.#test.counted = (this.#test.counted ?? 0) + 1; }
    plan(count) {
      this.#test.planned = count;
      this.#test.counted ??= 0;
    }
    diagnostic(message) { (this.#test.diagnostics ??= []).push(message); }
    skip(message) { this.#test.skipped = message || true; }
    todo(message) { this.#test.todo = message || true; }
    runOnly() {}
    before(fn, options) { addHook(this.#test, 'before', fn, options); }
    after(fn, options) { addHook(this.#test, 'after', fn, options); }
    beforeEach(fn, options) { addHook(this.#test, 'beforeEach', fn, options); }
    afterEach(fn, options) { addHook(this.#test, 'afterEach', fn, options); }
    test(...args) {
      this.#count();
      return addTest(this.#test, three(args));
    }
  }
  for (const kind of ['before', 'after', 'beforeEach', 'afterEach']) {
    exports[kind] = (fn, options) => { addHook(current, kind, fn, options); };
  }
  const addHook = (node, kind, fn, options = {}) => {
    validateFunction(fn, 'fn');
    node.hooks[kind].push({ fn, options });
  };

  const withVariants = (f) => {
    for (const name of ['skip', 'todo', 'only']) f[name] = (...args) => f.apply({ [name]: true }, args);
    return f;
  };
  const test = withVariants(function test(...args) {
    return addTest(current, three(args), this === undefined || this === exports ? {} : variant(this));
  });
  const suite = withVariants(function suite(...args) {
    return addSuite(three(args), this === undefined || this === exports ? {} : variant(this));
  });
  const variant = ({ skip, todo, only }) => {
    if (skip === true) return { skip };
    return todo === true ? { todo } : only === true ? { only } : {};
  };
  module.exports = Object.assign(test, exports, {
    test, it: test, suite, describe: suite,
    run() { throw unavailable('test.run', 'import the files with tests'); },
  });
  Object.defineProperty(test, 'mock', { get() {
    return shared ??= new (require('internal/mock').MockTracker)();
  }, enumerable: true, configurable: true });
  let shared;
})
