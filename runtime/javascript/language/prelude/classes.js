// Helpers for classes of the web platform: hidden data of objects, the properties that Web IDL requires, and console
// output.
(function (kernel) {
  'use strict';
  const { define, defineProperty, setPrototypeOf } = kernel;
  const { ownKeys, getOwnPropertyDescriptor } = Reflect;
  const { toStringTag } = Symbol;

  define('self', globalThis);
  define('global', globalThis);

  // A class whose constructor returns its argument. Classes that extend it can add private fields to any object.
  class Stamp {
    constructor(object) { return object; }
  }

  // slot(name) gives objects of a class data that no script can reach or fake: set(object, data) once; get(object)
  // returns undefined without data, and of(object) throws.
  kernel.slot = (name) => {
    class Slot extends Stamp {
      #data;
      constructor(object, data) {
        super(object);
        this.#data = data;
      }
      static get(object) {
        return typeof object === 'object' && object !== null && #data in object ? object.#data : undefined;
      }
    }
    const { get } = Slot;
    return {
      get,
      set(object, data) { void new Slot(object, data); },
      of(object) {
        const data = get(object);
        if (data === undefined) {
          const text = name === undefined ? 'Illegal invocation' : `Value of "this" must be of type ${name}`;
          throw kernel.makeError('TypeError', text, 'ERR_INVALID_THIS');
        }
        return data;
      },
    };
  };

  // decorate gives a prototype the properties that Web IDL requires: enumerable members, and the name of the class.
  const decorate = (prototype, name) => {
    const names = ownKeys(prototype);
    for (let i = 0; i < names.length; i++) {
      if (names[i] === 'constructor' || typeof names[i] === 'symbol') continue;
      const descriptor = getOwnPropertyDescriptor(prototype, names[i]);
      descriptor.enumerable = true;
      defineProperty(prototype, names[i], descriptor);
    }
    defineProperty(prototype, toStringTag, { __proto__: null, value: name, configurable: true });
  };
  kernel.decorate = decorate;

  // expose makes a class a global.
  kernel.expose = (type) => {
    decorate(type.prototype, type.name);
    const statics = ownKeys(type);
    for (let i = 0; i < statics.length; i++) {
      if (typeof type[statics[i]] === 'function')
        defineProperty(type, statics[i], { __proto__: null, enumerable: true });
    }
    define(type.name, type);
  };

  // derive makes an independent class extend another. With an extends clause, construction would call whatever a script
  // may have put into the prototype chain.
  kernel.derive = (type, parent) => {
    setPrototypeOf(type, parent);
    setPrototypeOf(type.prototype, parent.prototype);
  };

  // constants defines numbers by name on classes and prototypes.
  kernel.constants = (object, numbers) => {
    const names = ownKeys(numbers);
    for (let i = 0; i < names.length; i++) {
      defineProperty(object, names[i], { __proto__: null, value: numbers[names[i]], enumerable: true });
    }
  };

  // inspect defines the console output of objects with data in a slot: parts(data) returns alternating names and
  // values.
  kernel.inspectors = [];
  kernel.inspect = (slot, name, parts, arrow = ': ') => {
    kernel.append(kernel.inspectors, (value) => {
      const data = slot.get(value);
      return data === undefined ? undefined : { name, parts: parts(data), arrow };
    });
  };
})
