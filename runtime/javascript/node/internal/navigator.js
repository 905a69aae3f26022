// navigator: what Node has of it.
(function (kernel, require, module, exports) {
  'use strict';
  const navigators = kernel.slot();
  const made = {};
  const languages = Object.freeze(['en-US']);
  class Navigator {
    constructor(token = undefined) {
      if (token !== made) throw Object.assign(new TypeError('Illegal constructor'),
        { code: 'ERR_ILLEGAL_CONSTRUCTOR' });
      navigators.set(this, true);
    }
    get hardwareConcurrency() { return navigators.of(this) && 1; }
    get language() { return navigators.of(this) && languages[0]; }
    get languages() { return navigators.of(this) && languages; }
    get platform() { return navigators.of(this) && 'linux'; }
    get userAgent() { return navigators.of(this) && 'toolrun'; }
  }
  kernel.decorate(Navigator.prototype, 'Navigator');
  Object.assign(exports, { Navigator, navigator: new Navigator(made) });
})
