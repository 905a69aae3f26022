// URLSearchParams. The names and values are a list of pairs; the host parses and formats them.
(function (kernel) {
  'use strict';
  const { host, slot, expose, list, apply, join, makeError } = kernel;
  const wellFormed = kernel.uncurry(String.prototype.toWellFormed);
  const sort = kernel.uncurry(Array.prototype.sort);
  const { iterator } = Symbol;
  const { ownKeys, getOwnPropertyDescriptor } = Reflect;
  const { create } = Object;

  // text converts to Web IDL's USVString.
  const text = (value) => wellFormed(`${value}`);

  const slots = slot('URLSearchParams'); // {pairs, changed}
  const add = (pairs, name, value) => { pairs[pairs.length] = { name, value }; };

  // parse returns the pairs of a query without its question mark.
  const parse = (query) => {
    const flat = query === '' ? [] : host('query.parse', query).list;
    const pairs = list();
    for (let i = 0; i < flat.length; i += 2) add(pairs, flat[i], flat[i + 1]);
    return pairs;
  };
  // format writes them as a query. The host gets one text and the lengths of its parts, not JSON: while it makes JSON,
  // the engine calls setters that scripts may have defined on Array.prototype.
  const format = (pairs) => {
    const texts = list();
    const lengths = list();
    for (let i = 0; i < pairs.length; i++) {
      const { name, value } = pairs[i];
      texts[2 * i] = name;
      texts[2 * i + 1] = value;
      lengths[2 * i] = name.length;
      lengths[2 * i + 1] = value.length;
    }
    return texts.length === 0 ? '' : host('query.format', join(texts, ''), join(lengths, ','));
  };

  const badPair = () => makeError('TypeError', 'Each query pair must be an iterable [name, value] tuple',
    'ERR_INVALID_TUPLE');

  // fromIterable reads the pairs of a script: any iterable of iterables of two values.
  const fromIterable = (pairs, init) => {
    for (const pair of init) {
      if ((typeof pair !== 'object' && typeof pair !== 'function') || pair === null ||
        typeof pair[iterator] !== 'function') {
        throw badPair();
      }
      const both = list();
      for (const item of pair) {
        if (both.length === 2) throw badPair();
        both[both.length] = text(item);
      }
      if (both.length !== 2) throw badPair();
      add(pairs, both[0], both[1]);
    }
  };
  const fromRecord = (pairs, init) => {
    const places = { __proto__: null }; // names that differ only in lone surrogates are equal
    const names = ownKeys(init);
    for (let i = 0; i < names.length; i++) {
      if (!getOwnPropertyDescriptor(init, names[i])?.enumerable) continue;
      const name = text(names[i]);
      const value = text(init[names[i]]);
      if (name in places) {
        pairs[places[name]].value = value;
      } else {
        places[name] = pairs.length;
        add(pairs, name, value);
      }
    }
  };

  const need = (count, args) => {
    if (args >= count) return;
    throw makeError('TypeError', `The "name" ${count > 1 ? 'and "value" arguments' : 'argument'} must be specified`,
      'ERR_MISSING_ARGS');
  };
  const keep = (params, wanted) => {
    const kept = list();
    for (let i = 0; i < params.pairs.length; i++) {
      if (wanted(params.pairs[i])) kept[kept.length] = params.pairs[i];
    }
    params.pairs = kept;
  };
  const update = (params) => { params.changed?.(format(params.pairs)); };

  class URLSearchParams {
    constructor(init = '') {
      let pairs = list();
      if ((typeof init === 'object' && init !== null) || typeof init === 'function') {
        const iterate = init[iterator];
        if (iterate !== undefined && iterate !== null) {
          if (typeof iterate !== 'function')
            throw makeError('TypeError', 'Query pairs must be iterable', 'ERR_ARG_NOT_ITERABLE');
          fromIterable(pairs, init);
        } else {
          fromRecord(pairs, init);
        }
      } else {
        const query = text(init);
        pairs = parse(query[0] === '?' ? kernel.slice(query, 1) : query);
      }
      slots.set(this, { pairs, changed: undefined });
    }
    get size() { return slots.of(this).pairs.length; }
    append(name, value) {
      const params = slots.of(this);
      need(2, arguments.length);
      name = text(name);
      add(params.pairs, name, text(value));
      update(params);
    }
    delete(name, value = undefined) {
      const params = slots.of(this);
      need(1, arguments.length);
      name = text(name);
      if (value !== undefined) value = text(value);
      keep(params, (pair) => pair.name !== name || (value !== undefined && pair.value !== value));
      update(params);
    }
    get(name) {
      const { pairs } = slots.of(this);
      need(1, arguments.length);
      name = text(name);
      for (let i = 0; i < pairs.length; i++) if (pairs[i].name === name) return pairs[i].value;
      return null;
    }
    getAll(name) {
      const { pairs } = slots.of(this);
      need(1, arguments.length);
      name = text(name);
      const values = [];
      for (let i = 0; i < pairs.length; i++) if (pairs[i].name === name) kernel.append(values, pairs[i].value);
      return values;
    }
    has(name, value = undefined) {
      const params = slots.of(this);
      need(1, arguments.length);
      name = text(name);
      if (value !== undefined) value = text(value);
      const { pairs } = params;
      for (let i = 0; i < pairs.length; i++) {
        if (pairs[i].name === name && (value === undefined || pairs[i].value === value)) return true;
      }
      return false;
    }
    set(name, value) {
      const params = slots.of(this);
      need(2, arguments.length);
      name = text(name);
      value = text(value);
      let found = false;
      keep(params, (pair) => {
        if (pair.name !== name) return true;
        if (found) return false;
        found = true;
        pair.value = value;
        return true;
      });
      if (!found) add(params.pairs, name, value);
      update(params);
    }
    sort() {
      const params = slots.of(this);
      sort(params.pairs, (a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
      update(params);
    }
    forEach(callback, thisArg = undefined) {
      const params = slots.of(this);
      if (typeof callback !== 'function')
        throw kernel.builtin('internal/errors').ERR_INVALID_ARG_TYPE('callback', 'Function', callback);
      for (let i = 0; i < params.pairs.length; i++) {
        const { name, value } = params.pairs[i];
        apply(callback, thisArg, [value, name, this]);
      }
    }
    entries() { return iterate(this, (pair) => [pair.name, pair.value]); }
    keys() { return iterate(this, (pair) => pair.name); }
    values() { return iterate(this, (pair) => pair.value); }
    toString() { return format(slots.of(this).pairs); }
  }

  const iterators = slot('URLSearchParamsIterator'); // {params, at, show}
  const IteratorPrototype = create(kernel.getPrototypeOf(kernel.getPrototypeOf([][iterator]())), { __proto__: null });
  const methods = {
    next() {
      const state = iterators.of(this);
      const { pairs } = state.params;
      if (state.at >= pairs.length) return { value: undefined, done: true };
      return { value: state.show(pairs[state.at++]), done: false };
    },
  };
  kernel.defineProperty(IteratorPrototype, 'next',
    { __proto__: null, value: methods.next, writable: true, configurable: true });
  kernel.decorate(IteratorPrototype, 'URLSearchParams Iterator');
  const iterate = (object, show) => {
    const result = create(IteratorPrototype);
    iterators.set(result, { params: slots.of(object), at: 0, show });
    return result;
  };

  // leftParams returns what an iterator has still to give.
  kernel.leftParams = (iterator) => {
    const { params, at, show } = iterators.of(iterator);
    const left = [];
    for (let i = at; i < params.pairs.length; i++) kernel.append(left, show(params.pairs[i]));
    return left;
  };

  expose(URLSearchParams);
  kernel.define(iterator, URLSearchParams.prototype.entries, URLSearchParams.prototype);
  kernel.inspect(slots, 'URLSearchParams', ({ pairs }) => {
    const flat = [];
    for (let i = 0; i < pairs.length; i++) {
      kernel.append(flat, pairs[i].name);
      kernel.append(flat, pairs[i].value);
    }
    return flat;
  }, ' => ');

  // linkedParams makes the URLSearchParams of a URL, which call changed(query) after each change.
  kernel.linkedParams = (query, changed) => {
    const params = create(prototype);
    slots.set(params, { pairs: parse(query), changed });
    return params;
  };
  const { prototype } = URLSearchParams;
  // resetParams replaces their content by another query.
  kernel.resetParams = (params, query) => { slots.of(params).pairs = parse(query); };
  kernel.usvString = text;
})
