// Runs the only suite that has been loaded as the V8 benchmark suite's base.js does, but for another time than a
// second, and returns its score.
function run(milliseconds) {
  function measure(benchmark) {
    var runs = 0, elapsed = 0, start = Date.now();
    do {
      benchmark.run();
      runs++;
      elapsed = Date.now() - start;
    } while (elapsed < milliseconds);
    return Math.max(elapsed, 1) * 1000 / runs;
  }
  var suite = BenchmarkSuite.suites[0], log = 0;
  for (var i = 0; i < suite.benchmarks.length; i++) {
    suite.benchmarks[i].Setup();
    if (milliseconds > 0) measure(suite.benchmarks[i]); // to get warm
    log += Math.log(measure(suite.benchmarks[i]));
    suite.benchmarks[i].TearDown();
  }
  return 100 * suite.reference / Math.exp(log / suite.benchmarks.length);
}
