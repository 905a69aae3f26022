// Each of many rejected promises becomes an error in an AggregateError, which holds the one before.
// ends: time limit or memory limit
let error = 0;
for (;;) {
  try {
    await Promise.any(new Array(100).fill(Promise.reject(error)));
  } catch (all) {
    error = all;
  }
}
