// What http and https have for servers: functions and classes that say that there are none.
(function (kernel, require, module, exports) {
  'use strict';
  exports.absent = (module, functions, classes) => {
    const made = {};
    for (const name of [...functions, ...classes]) {
      made[name] = { [name]: function () {
        const error = new Error(`${module}.${name} is not available: nothing can connect to code here, ` +
          'which can only make requests; to test a handler, call it with a request of its own');
        error.code = 'ERR_FEATURE_UNAVAILABLE_ON_PLATFORM';
        throw error;
      } }[name];
    }
    return made;
  };
})
