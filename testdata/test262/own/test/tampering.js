/*---
description: what a test makes of the language must not change what is reported
---*/
Array.prototype.toJSON = function () { return 'ran'; };
String.prototype.toString = Function.prototype.call = Promise.prototype.then = null;
Object.defineProperty(Promise.prototype, 'constructor', { get: function () { throw 1; } });
throw 'tampered';
