// perf_hooks: histograms, timerify, entries of resources.
'use strict';
const { createHistogram, monitorEventLoopDelay, performance, PerformanceObserver } = require('perf_hooks');
const answers = {};
const T = (name, f) => {
  try { answers[name] = String(f()); } catch (e) { answers[name] = `${e.name} ${e.code} ${e.message}`; }
};
const shown = (h) => [h.min, h.max, h.mean, h.stddev, h.exceeds, h.count, h.minBigInt,
  h.maxBigInt, h.percentile(1), h.percentile(50), h.percentile(99), h.percentile(100),
  h.percentileBigInt(50), JSON.stringify([...h.percentiles]), [...h.percentilesBigInt.values()]].join(' ');
const lists = [[], [1], [1, 2, 3], [1, 1, 1, 9], [1023, 1024, 2047, 2048, 2049],
  [4097, 12345, 99999, 123456, 1000007], [5e8, 1e9, 1.5e9, 2e9, 4e9],
  Array.from({ length: 300 }, (_, i) => (i * i * 7919) % 100003 + 1)];
for (const options of [undefined, { figures: 1 }, { figures: 2 }, { figures: 5 },
  { lowest: 16, highest: 1e6 }, { lowest: 1n, highest: 1000000000n }]) {
  for (const [i, list] of lists.entries()) {
    T(`record ${options && Object.entries(options)} ${i}`, () => {
      const h = createHistogram(options);
      for (const value of list) h.record(value);
      return shown(h);
    });
  }
}
T('reset and add', () => {
  const [a, b] = [createHistogram(), createHistogram({ highest: 1000 })];
  a.record(5); a.record(70); b.record(12n); b.record(5000);
  a.add(b);
  const before = shown(a);
  a.reset();
  return `${before} | ${shown(a)} | ${b.exceedsBigInt} ${b.countBigInt}`;
});
T('JSON', () => { const h = createHistogram(); h.record(3); return JSON.stringify(h); });
T('kinds', () => [createHistogram().constructor.name, Object.getPrototypeOf(createHistogram().constructor).name,
  monitorEventLoopDelay().count].join());
for (const value of [0, -1, 1.5, NaN, Infinity, '1', null, undefined, {}, 2 ** 60])
  T(`record(${value})`, () => createHistogram().record(value));
for (const value of [0, 101, -1, NaN, '5', undefined])
  T(`percentile(${value})`, () => createHistogram().percentile(value));
for (const value of [1, 'a', null, { lowest: 0 }, { lowest: 'a' }, { highest: 1 },
  { lowest: 10, highest: 15 }, { figures: 0 }, { figures: 6 }, { figures: null }]) {
  T(`createHistogram(${JSON.stringify(value)})`, () => createHistogram(value));
}
T('add(1)', () => createHistogram().add(1));
T('new', () => new (createHistogram().constructor)());
for (const value of [null, { resolution: 0 }, { resolution: 'a' }])
  T(`monitorEventLoopDelay(${JSON.stringify(value)})`, () => monitorEventLoopDelay(value));
T('enable', () => {
  const h = monitorEventLoopDelay();
  return [h.enable(), h.enable(), h.disable(), h.disable(), h.record].join();
});
T('clone', () => {
  const h = createHistogram();
  const copy = structuredClone(h);
  h.record(7);
  return [copy.count, copy.constructor.name, structuredClone(monitorEventLoopDelay()).enable].join();
});

for (const value of [1, null, {}, { histogram: 1 }, { histogram: {} }])
  T(`timerify ${JSON.stringify(value)}`, () => typeof performance.timerify(() => {}, value));
T('timerify', () => {
  const histogram = createHistogram();
  const f = performance.timerify(function add(a, b) { return a + b; }, { histogram });
  return [f(1, 2), f(3, 4), histogram.count, f.name, f.length].join();
});
T('marks', () => {
  const out = [];
  for (const startTime of ['a', -1, {}]) {
    try { performance.mark('m', { startTime }); } catch (e) { out.push(e.code); }
  }
  return out;
});
T('nodeTiming', () => [performance.nodeTiming.name, performance.nodeTiming.entryType, performance.nodeTiming.startTime,
  ...[
    'nodeStart', 'v8Start', 'bootstrapComplete', 'environment', 'loopStart', 'loopExit', 'idleTime', 'duration',
  ].map((k) => typeof performance.nodeTiming[k])].join());

const info = (startTime, endTime) => ({
  startTime, endTime, redirectStartTime: 1, redirectEndTime: 2, postRedirectStartTime: 3,
  finalServiceWorkerStartTime: 4, finalNetworkRequestStartTime: 5,
  finalNetworkResponseStartTime: 6, encodedBodySize: 70, decodedBodySize: 80,
  finalConnectionTimingInfo: { domainLookupStartTime: 9, domainLookupEndTime: 10,
    connectionStartTime: 11, connectionEndTime: 12, secureConnectionStartTime: 13, ALPNNegotiatedProtocol: 'h2' },
});
T('resources', () => {
  const out = [];
  for (const mode of ['', 'local'])
    out.push(JSON.stringify(performance.markResourceTiming(info(1, 5), 'http://a/', 'fetch', globalThis, mode)));
  out.push(performance.getEntriesByType('resource').length, performance.getEntriesByName('http://a/').length,
    PerformanceObserver.supportedEntryTypes.includes('resource'));
  performance.clearResourceTimings();
  out.push(performance.getEntriesByType('resource').length);
  return out;
});
module.exports = answers;
