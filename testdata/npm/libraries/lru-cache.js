const { LRUCache } = require('lru-cache');
const cache = new LRUCache({ max: 2, ttl: 1e6 });
cache.set('a', 1).set('b', 2).get('a');
cache.set('c', 3);
return JSON.stringify([[...cache.keys()], cache.get('b'), cache.size,
  await new LRUCache({ max: 5, fetchMethod: async (k) => k + k }).fetch('x')]);
