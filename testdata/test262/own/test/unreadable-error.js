/*---
description: what is thrown must not harm those who look at it
---*/
throw { get constructor() { throw 1; }, toString() { throw 2; } };
