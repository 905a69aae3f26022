// performance: a monotonic clock, and the marks and measures of scripts (https://w3c.github.io/performance-timeline/
// and https://w3c.github.io/user-timing/).
(function (kernel, require, module, exports) {
  'use strict';
  const { slot, decorate, derive, makeTarget, now, timeOrigin, later, DOMException, EventTarget } = kernel;
  const { TypeError } = globalThis;
  const custom = Symbol.for('nodejs.util.inspect.custom');
  const shown = (type, parts) => {
    Object.defineProperty(type.prototype, custom, {
      value(depth, options, inspect) {
        return depth < 0 ? this : `${type.name} ${inspect(parts(this), { ...options, depth: options.depth })}`;
      },
      writable: true, configurable: true,
    });
  };
  const publish = (type) => {
    decorate(type.prototype, type.name);
    exports[type.name] = type;
  };
  const missing = (what) => { throw Object.assign(new TypeError(what), { code: 'ERR_MISSING_ARGS' }); };
  const invalid = (what) => Object.assign(new TypeError(what), { code: 'ERR_INVALID_ARG_VALUE' });

  const entries = slot(); // {name, type, start, duration, detail}
  const made = {}; // allows the constructors below
  class PerformanceEntry {
    constructor(token = undefined, data = undefined) {
      if (token !== made) throw Object.assign(new TypeError('Illegal constructor'),
        { code: 'ERR_ILLEGAL_CONSTRUCTOR' });
      entries.set(this, data);
    }
    get name() { return entries.of(this).name; }
    get entryType() { return entries.of(this).type; }
    get startTime() { return entries.of(this).start; }
    get duration() { return entries.of(this).duration; }
    toJSON() {
      entries.of(this);
      const { name, entryType, startTime, duration } = this;
      return { name, entryType, startTime, duration, ...('detail' in this ? { detail: this.detail } : undefined) };
    }
  }
  publish(PerformanceEntry);
  shown(PerformanceEntry, (entry) => entry.toJSON());

  const time = (value, what) => {
    const n = Number(value);
    if (!Number.isFinite(n))
      throw Object.assign(new TypeError(`${what} must be a finite number`), { code: 'ERR_INVALID_ARG_TYPE' });
    if (n < 0) throw Object.assign(new TypeError(`${n} is not a valid timestamp`),
      { code: 'ERR_PERFORMANCE_INVALID_TIMESTAMP' });
    return n;
  };
  const dictionary = (value, what) => {
    if (value === undefined || value === null) return {};
    if (typeof value !== 'object' && typeof value !== 'function') throw new TypeError(`${what} must be an object`);
    return value;
  };
  const clone = (detail) => (detail === undefined || detail === null ? null : structuredClone(detail));

  class PerformanceMark extends PerformanceEntry {
    constructor(name, options = undefined) {
      if (arguments.length === 0) missing('The "name" argument must be specified');
      name = `${name}`;
      const { detail, startTime } = dictionary(options, 'the options of a mark');
      super(made, { name, type: 'mark', start: startTime === undefined ? now() : time(startTime, 'startTime'),
        duration: 0, detail: clone(detail) });
    }
    get detail() { return entries.of(this).detail; }
  }
  publish(PerformanceMark);
  class PerformanceMeasure extends PerformanceEntry {
    get detail() { return entries.of(this).detail; }
  }
  publish(PerformanceMeasure);

  // The timeline, and the latest mark by name.
  let timeline = [];
  const latest = new Map();
  const byStart = (list) => list.sort((a, b) => entries.get(a).start - entries.get(b).start);
  const select = (list, name, type) => list.filter((entry) => {
    const data = entries.get(entry);
    return (name === undefined || data.name === name) && (type === undefined || data.type === type);
  });
  const add = (entry) => {
    const data = entries.get(entry);
    timeline.push(entry);
    if (data.type === 'mark') latest.set(data.name, entry);
    tell(entry);
    return entry;
  };
  const remove = (type, name) => {
    timeline = timeline.filter((entry) => {
      const data = entries.get(entry);
      return data.type !== type || (name !== undefined && data.name !== name);
    });
    if (type === 'mark' && name !== undefined) latest.delete(name);
    else if (type === 'mark') latest.clear();
  };
  const timeOf = (mark) => {
    if (typeof mark === 'number') return time(mark, 'a time');
    const entry = latest.get(`${mark}`);
    if (entry === undefined && moments.includes(`${mark}`)) return nodes.nodeTiming[mark];
    if (entry === undefined) throw new DOMException(`The "${mark}" performance mark has not been set`, 'SyntaxError');
    return entries.get(entry).start;
  };
  const measured = (name, first, endMark) => {
    let options = first;
    const isText = first !== undefined && first !== null && typeof first !== 'object' && typeof first !== 'function';
    if (isText) options = {};
    const { detail, duration, end: last, start: begin } = options ?? {};
    if (!isText && [detail, duration, last, begin].some((member) => member !== undefined)) {
      if (endMark !== undefined) throw invalid('endMark must not be there if the options are an object');
      if (begin === undefined && last === undefined) missing('One of options.start or options.end is required');
      if (begin !== undefined && duration !== undefined && last !== undefined) {
        throw invalid('options.start, options.end and options.duration must not all be there');
      }
    }
    let end;
    if (endMark !== undefined) end = timeOf(typeof endMark === 'number' ? String(endMark) : endMark);
    else if (last !== undefined) end = timeOf(last);
    else if (begin !== undefined && duration !== undefined) end = timeOf(begin) + time(duration, 'duration');
    else end = now();
    let start = 0;
    if (isText) start = timeOf(`${first}`);
    else if (begin !== undefined) start = timeOf(begin);
    else if (last !== undefined && duration !== undefined) start = end - time(duration, 'duration');
    return new PerformanceMeasure(made, { name, type: 'measure', start, duration: end - start, detail: clone(detail) });
  };

  const supported = Object.freeze(['function', 'mark', 'measure', 'resource']);
  const observers = slot(); // {callback, mode, types, buffer, object}
  const active = new Set();
  let pending = false;
  const tell = (entry) => {
    const { type } = entries.get(entry);
    for (const observer of active) {
      if (!observer.types.has(type)) continue;
      observer.buffer.push(entry);
      wake();
    }
  };
  const wake = () => {
    if (pending) return;
    pending = true;
    setImmediate(() => {
      pending = false;
      for (const observer of [...active]) {
        if (observer.buffer.length === 0) continue;
        const list = new PerformanceObserverEntryList(made, byStart(observer.buffer));
        observer.buffer = [];
        const dropped = observer.told ? {} : { droppedEntriesCount: 0 };
        observer.told = true;
        try {
          Reflect.apply(observer.callback, observer.object, [list, observer.object, dropped]);
        } catch (error) {
          kernel.uncaught(error);
        }
      }
    });
  };

  const lists = slot();
  const found = (list, args, method, filter) => {
    if (args.length === 0) missing(`${method} needs an argument`);
    return filter(list);
  };
  class PerformanceObserverEntryList {
    constructor(token = undefined, list = undefined) {
      if (token !== made) throw Object.assign(new TypeError('Illegal constructor'),
        { code: 'ERR_ILLEGAL_CONSTRUCTOR' });
      lists.set(this, { list });
    }
    getEntries() { return [...lists.of(this).list]; }
    getEntriesByType(type) {
      return found(lists.of(this).list, arguments, 'getEntriesByType', (list) => select(list, undefined, `${type}`));
    }
    getEntriesByName(name, type = undefined) {
      return found(lists.of(this).list, arguments, 'getEntriesByName',
        (list) => select(list, `${name}`, type === undefined ? undefined : `${type}`));
    }
  }
  publish(PerformanceObserverEntryList);

  class PerformanceObserver {
    constructor(callback) {
      if (typeof callback !== 'function') {
        throw Object.assign(new TypeError('The "callback" argument must be of type function.'),
          { code: 'ERR_INVALID_ARG_TYPE' });
      }
      observers.set(this, { callback, mode: undefined, types: new Set(), buffer: [], object: this, told: false });
    }
    static get supportedEntryTypes() { return supported; }
    observe(options = undefined) {
      const observer = observers.of(this);
      const { buffered, entryTypes, type } = dictionary(options, 'the options of an observer');
      if (entryTypes === undefined && type === undefined)
        missing('The "options.entryTypes" or "options.type" argument must be specified');
      if (entryTypes !== undefined && (type !== undefined || buffered !== undefined)) {
        throw invalid("The property 'options.entryTypes' must not be specified with options.type or options.buffered");
      }
      const mode = entryTypes === undefined ? 'single' : 'multiple';
      if (observer.mode !== undefined && observer.mode !== mode) {
        throw new DOMException('an observer has either entryTypes or single types', 'InvalidModificationError');
      }
      if (entryTypes !== undefined) {
        if (typeof entryTypes !== 'object' || entryTypes === null) throw new TypeError('entryTypes must be a list');
        const wanted = [...entryTypes].map(String).filter((name) => supported.includes(name));
        observer.mode = mode;
        if (wanted.length === 0) return;
        observer.types = new Set(wanted);
      } else {
        observer.mode = mode;
        if (!supported.includes(`${type}`)) return;
        observer.types.add(`${type}`);
        if (buffered) {
          observer.buffer.push(...select(timeline, undefined, `${type}`));
          if (observer.buffer.length > 0) wake();
        }
      }
      active.add(observer);
    }
    disconnect() {
      const observer = observers.of(this);
      active.delete(observer);
      observer.types = new Set();
      observer.buffer = [];
      observer.mode = undefined;
    }
    takeRecords() {
      const observer = observers.of(this);
      const list = observer.buffer;
      observer.buffer = [];
      return list;
    }
  }
  publish(PerformanceObserver);
  Object.defineProperty(PerformanceObserver, 'supportedEntryTypes', { enumerable: true });

  const performances = slot();
  const check = (object) => { performances.of(object); };
  class Performance {
    constructor(token = undefined) {
      if (token !== made) throw Object.assign(new TypeError('Illegal constructor'),
        { code: 'ERR_ILLEGAL_CONSTRUCTOR' });
      makeTarget(this);
      performances.set(this, true);
    }
    now() {
      check(this);
      return now();
    }
    get timeOrigin() {
      check(this);
      return timeOrigin();
    }
    toJSON() {
      check(this);
      return { timeOrigin: timeOrigin() };
    }
    mark(name, options = undefined) {
      check(this);
      if (arguments.length === 0) missing('The "name" argument must be specified');
      return add(new PerformanceMark(name, options));
    }
    measure(name, startOrMeasureOptions = undefined, endMark = undefined) {
      check(this);
      if (arguments.length === 0) missing('The "name" argument must be specified');
      return add(measured(`${name}`, startOrMeasureOptions, endMark));
    }
    clearMarks(name = undefined) {
      check(this);
      remove('mark', name === undefined ? undefined : `${name}`);
    }
    clearMeasures(name = undefined) {
      check(this);
      remove('measure', name === undefined ? undefined : `${name}`);
    }
    getEntries() {
      check(this);
      return byStart([...timeline, ...resources()]);
    }
    getEntriesByName(name, type = undefined) {
      check(this);
      if (arguments.length === 0) missing('The "name" argument must be specified');
      return byStart(select([...timeline, ...resources()], `${name}`, type === undefined ? undefined : `${type}`));
    }
    getEntriesByType(type) {
      check(this);
      if (arguments.length === 0) missing('The "type" argument must be specified');
      return byStart(select([...timeline, ...resources()], undefined, `${type}`));
    }
  }
  derive(Performance, EventTarget);
  publish(Performance);

  // What only Node has.
  const nodes = {
    eventLoopUtilization() { return { idle: 0, active: 0, utilization: 0 }; },
    // of a made-up process
    nodeTiming: { name: 'node', entryType: 'node', startTime: 0, get duration() { return now(); } },
    timerify(f, options = {}) {
      const { validateFunction, validateObject } = require('internal/validators');
      validateFunction(f, 'fn');
      validateObject(options, 'options');
      const { histogram } = options;
      if (histogram !== undefined && typeof histogram?.record !== 'function') {
        throw require('internal/errors').ERR_INVALID_ARG_TYPE('options.histogram', 'RecordableHistogram', histogram);
      }
      const timed = function (...args) {
        const start = now();
        const result = new.target ? Reflect.construct(f, args, f) : Reflect.apply(f, this, args);
        const record = () => {
          const duration = now() - start;
          histogram?.record(Math.max(Math.ceil(duration * 1e6), 1));
          const entry = new PerformanceEntry(made, { name: f.name, type: 'function', start, duration, detail: args });
          for (let i = 0; i < args.length; i++) entry[i] = args[i];
          tell(entry);
        };
        if (typeof result?.finally === 'function') return result.finally(record);
        record();
        return result;
      };
      Object.defineProperties(timed, {
        length: { value: f.length, configurable: true }, name: { value: `timerified ${f.name}`, configurable: true },
      });
      return timed;
    },
  };
  const moments = ['nodeStart', 'v8Start', 'environment', 'bootstrapComplete', 'loopStart', 'loopExit', 'idleTime'];
  for (const name of moments) nodes.nodeTiming[name] = name === 'loopExit' ? -1 : 0;
  for (const name of Object.keys(nodes)) {
    Object.defineProperty(Performance.prototype, name,
      { value: nodes[name], writable: true, configurable: true, enumerable: true });
  }
  const resources = require('internal/resourcetiming').install({
    PerformanceEntry, Performance, entries, made, check, tell, publish, shown, performance: () => exports.performance,
  });
  exports.performance = new Performance(made);
  shown(Performance, (performance) => ({ timeOrigin: performance.timeOrigin }));
})
