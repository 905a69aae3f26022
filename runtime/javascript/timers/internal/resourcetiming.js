// What performance tells of resources: entries that libraries make, of which a buffer keeps so many
// (https://w3c.github.io/resource-timing/).
(function (kernel, require, module, exports) {
  'use strict';
  // install makes the class and the methods, from the parts of module performance.
  exports.install = ({ PerformanceEntry, Performance, entries, made, check, tell, publish, shown, performance }) => {
    const { TypeError } = globalThis;
    const timings = kernel.slot('PerformanceResourceTiming'); // {info, initiator, cacheMode}
    class PerformanceResourceTiming extends PerformanceEntry {
      constructor(token = undefined, data = undefined, timing = undefined) {
        if (token !== made) throw Object.assign(new TypeError('Illegal constructor'),
          { code: 'ERR_ILLEGAL_CONSTRUCTOR' });
        super(token, data);
        timings.set(this, timing);
      }
      get initiatorType() { return timings.of(this).initiator; }
      get nextHopProtocol() { return timings.of(this).info.finalConnectionTimingInfo?.ALPNNegotiatedProtocol; }
      get transferSize() {
        const { cacheMode, info } = timings.of(this);
        if (cacheMode === 'local') return 0;
        return cacheMode === 'validated' ? 300 : info.encodedBodySize + 300;
      }
      toJSON() {
        const { name, entryType, startTime, duration, initiatorType, nextHopProtocol,
          transferSize, encodedBodySize, decodedBodySize } = this;
        const json = { name, entryType, startTime, duration, initiatorType, nextHopProtocol };
        for (const [property] of times) json[property] = this[property];
        return { ...json, transferSize, encodedBodySize, decodedBodySize };
      }
    }
    const connection = (name) => (info) => info.finalConnectionTimingInfo?.[name];
    const times = [
      ['workerStart', (info) => info.finalServiceWorkerStartTime],
      ['redirectStart', (info) => info.redirectStartTime],
      ['redirectEnd', (info) => info.redirectEndTime],
      ['fetchStart', (info) => info.postRedirectStartTime],
      ['domainLookupStart', connection('domainLookupStartTime')],
      ['domainLookupEnd', connection('domainLookupEndTime')],
      ['connectStart', connection('connectionStartTime')],
      ['connectEnd', connection('connectionEndTime')],
      ['secureConnectionStart', connection('secureConnectionStartTime')],
      ['requestStart', (info) => info.finalNetworkRequestStartTime],
      ['responseStart', (info) => info.finalNetworkResponseStartTime],
      ['responseEnd', (info) => info.endTime],
    ];
    const sizes = [
      ['encodedBodySize', (info) => info.encodedBodySize], ['decodedBodySize', (info) => info.decodedBodySize],
    ];
    for (const [name, get] of [...times, ...sizes]) {
      Object.defineProperty(PerformanceResourceTiming.prototype, name, {
        get: Object.getOwnPropertyDescriptor({ get [name]() { return get(timings.of(this).info); } }, name).get,
        enumerable: true, configurable: true,
      });
    }
    publish(PerformanceResourceTiming);
    shown(PerformanceResourceTiming, (entry) => entry.toJSON());

    let buffer = [];
    let waiting = []; // what the buffer has no room for, until its event
    let size = 250;
    let full = false;
    const keep = (entry) => {
      if (!full && buffer.length < size) {
        buffer.push(entry);
        return;
      }
      waiting.push(entry);
      if (full) return;
      full = true;
      setImmediate(() => {
        while (waiting.length > 0) {
          performance().dispatchEvent(new Event('resourcetimingbufferfull'));
          const room = Math.max(size - buffer.length, 0);
          buffer.push(...waiting.splice(0, room));
          if (room === 0) waiting = [];
        }
        full = false;
      });
    };

    const methods = {
      markResourceTiming(info, url, initiator, global, cacheMode) { // which undici calls without this
        const entry = new PerformanceResourceTiming(made,
          { name: url, type: 'resource', start: info.startTime, duration: info.endTime - info.startTime },
            { info, initiator, cacheMode });
        keep(entry);
        tell(entry);
        return entry;
      },
      clearResourceTimings() {
        check(this);
        buffer = [];
      },
      setResourceTimingBufferSize(wanted) {
        check(this);
        size = Number.isSafeInteger(wanted) && wanted > 0 ? wanted : 0;
      },
    };
    for (const name of Object.keys(methods)) {
      Object.defineProperty(Performance.prototype, name,
        { value: methods[name], writable: true, configurable: true, enumerable: true });
    }
    return () => buffer;
  };
})
