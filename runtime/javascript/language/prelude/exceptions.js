// DOMException is the engine's own.
(function (kernel) {
  'use strict';
  const { DOMException } = globalThis;
  const { prototype } = DOMException;
  const nameOf = kernel.getter(prototype, 'name');

  kernel.decorate(prototype, 'DOMException');
  kernel.DOMException = DOMException;
  kernel.nameOfDOMException = nameOf; // throws a TypeError for anything else
  kernel.isDOMException = (value) => {
    try {
      return typeof nameOf(value) === 'string';
    } catch {
      return false;
    }
  };
})
