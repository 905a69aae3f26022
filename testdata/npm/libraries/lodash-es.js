const { sortBy, uniq, debounce } = require('lodash-es');
return JSON.stringify([uniq(sortBy([3, 1, 3, 2])), typeof debounce]);
