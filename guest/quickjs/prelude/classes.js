// How the classes of the web platform are made: hidden data of objects, the look of classes that Web IDL asks for, and how
// their objects read in the console.
(function (kernel) {
  'use strict';
  const { define, defineProperty, setPrototypeOf, TypeError } = kernel;
  const { ownKeys, getOwnPropertyDescriptor } = Reflect;
  const { toStringTag } = Symbol;

  define('self', globalThis);

  // A class that makes the object that it is given. Classes that extend it add private fields to any object.
  class Stamp {
    constructor(object) { return object; }
  }

  // slot() gives objects data that no script can reach or fake: set(object, data) once, get(object) is undefined without,
  // and of(object) then throws.
  kernel.slot = () => {
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
        if (data === undefined) throw new TypeError('Illegal invocation');
        return data;
      },
    };
  };

  // decorate gives a prototype what Web IDL asks for: members that for-in lists, and the name of the class.
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
      if (typeof type[statics[i]] === 'function') defineProperty(type, statics[i], { __proto__: null, enumerable: true });
    }
    define(type.name, type);
  };

  // derive makes a class that was declared by itself extend another. A class that is declared so calls whatever a script
  // may have put into its prototype chain when it is constructed.
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

  // inspect says how objects with data in a slot read in the console: parts(data) returns names and values by turns.
  kernel.inspectors = [];
  kernel.inspect = (slot, name, parts, arrow = ': ') => {
    kernel.append(kernel.inspectors, (value) => {
      const data = slot.get(value);
      return data === undefined ? undefined : { name, parts: parts(data), arrow };
    });
  };
})
