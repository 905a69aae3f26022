// Histograms of perf_hooks: counts of whole numbers, with as many significant figures as are asked for. Values share a
// place as in HdrHistogram, whose results Node has.
(function (kernel, require, module, exports) {
  'use strict';
  const { slot, now } = kernel;
  const { inspect } = require('internal/inspect');
  const { define, ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE } = require('internal/errors');
  const { validateInteger, validateNumber, validateObject } = require('internal/validators');
  define('ERR_ILLEGAL_CONSTRUCTOR', TypeError, () => 'Illegal constructor');
  const { ERR_ILLEGAL_CONSTRUCTOR } = require('internal/errors');
  const maxInt64 = 2n ** 63n - 1n;

  class Counts {
    constructor(lowest, highest, figures) {
      this.unit = Math.floor(Math.log2(lowest));
      this.bits = Math.ceil(Math.log2(2 * 10 ** figures)); // of a value that are kept
      this.end = highest;
      this.reset();
    }
    reset() {
      this.places = new Map(); // the count by the lowest value of a place
      this.total = this.exceeds = this.before = 0;
      this.least = Infinity;
      this.most = 0;
    }
    // step returns how many values share the place of one.
    step(value) {
      let step = 2 ** this.unit;
      while (value / step >= 2 ** this.bits) step *= 2;
      return step;
    }
    lowest(value) {
      const step = this.step(value);
      return Math.floor(value / step) * step;
    }
    highest(value) { return this.lowest(value) + this.step(value) - 1; }
    middle(value) {
      const low = this.lowest(value);
      return low + Math.floor(this.step(low) / 2);
    }
    record(value, count = 1) {
      if (value > this.end || value < 0) {
        this.exceeds += count;
        return;
      }
      const place = this.lowest(value);
      this.places.set(place, (this.places.get(place) ?? 0) + count);
      this.total += count;
      this.least = Math.min(this.least, value);
      this.most = Math.max(this.most, value);
    }
    recordDelta() {
      const time = now();
      if (this.before > 0) this.record(Math.max(Math.round((time - this.before) * 1e6), 0));
      this.before = time;
    }
    add(other) {
      this.exceeds += other.exceeds;
      for (const [value, count] of [...other.places]) this.record(value, count);
    }
    sorted() { return [...this.places].sort((a, b) => a[0] - b[0]); }
    mean() {
      let sum = 0;
      for (const [value, count] of this.sorted()) sum += this.middle(value) * count;
      return sum / this.total;
    }
    stddev() {
      const mean = this.mean();
      let sum = 0;
      for (const [value, count] of this.sorted()) sum += (this.middle(value) - mean) ** 2 * count;
      return Math.sqrt(sum / this.total);
    }
    percentile(share) {
      let left = Math.max(Math.floor((Math.min(share, 100) / 100) * this.total + 0.5), 1);
      for (const [value, count] of this.sorted()) if ((left -= count) <= 0) return this.highest(value);
      return this.highest(0);
    }
    // percentiles halves the distance to 100 % again and again.
    percentiles(convert) {
      const map = new Map();
      let share = 0;
      let seen = 0;
      let last = 0;
      for (const [value, count] of this.sorted()) {
        seen += count;
        last = value;
        while (share <= (100 * seen) / this.total) {
          map.set(share, convert(value));
          share += 100 / 2 ** (Math.floor(Math.log2(100 / (100 - share))) + 1);
          if (seen === this.total) break;
        }
      }
      return map.set(100, convert(last));
    }
  }

  const counts = slot('Histogram');
  const recordable = slot('RecordableHistogram');
  class Histogram {
    constructor(data = undefined) {
      if (!(data instanceof Counts)) throw ERR_ILLEGAL_CONSTRUCTOR();
      counts.set(this, data);
    }
    get count() { return counts.of(this).total; }
    get countBigInt() { return BigInt(this.count); }
    get min() { return Number(this.minBigInt); }
    get minBigInt() {
      const data = counts.of(this);
      return data.total === 0 ? maxInt64 : BigInt(data.lowest(data.least));
    }
    get max() {
      const data = counts.of(this);
      return data.total === 0 ? 0 : data.highest(data.most);
    }
    get maxBigInt() { return BigInt(this.max); }
    get mean() { return counts.of(this).mean(); }
    get exceeds() { return counts.of(this).exceeds; }
    get exceedsBigInt() { return BigInt(this.exceeds); }
    get stddev() { return counts.of(this).stddev(); }
    percentile(percentile) {
      const data = counts.of(this);
      validateNumber(percentile, 'percentile');
      if (!(percentile > 0 && percentile <= 100)) throw ERR_OUT_OF_RANGE('percentile', '> 0 && <= 100', percentile);
      return data.percentile(percentile);
    }
    percentileBigInt(percentile) { return BigInt(this.percentile(percentile)); }
    get percentiles() { return counts.of(this).percentiles(Number); }
    get percentilesBigInt() { return counts.of(this).percentiles(BigInt); }
    reset() { counts.of(this).reset(); }
    toJSON() {
      const { count, min, max, mean, exceeds, stddev, percentiles } = this;
      return { count, min, max, mean, exceeds, stddev, percentiles: Object.fromEntries(percentiles) };
    }
    [inspect.custom](depth, options) {
      if (depth < 0) return `[${this.constructor.name}]`;
      const { min, max, mean, exceeds, stddev, count, percentiles } = this;
      return `Histogram ${inspect({ min, max, mean, exceeds, stddev, count, percentiles },
        { ...options, depth: options.depth == null ? null : options.depth - 1 })}`;
    }
  }
  class RecordableHistogram extends Histogram {
    constructor(data = undefined) {
      super(data);
      recordable.set(this, data);
    }
    record(value) {
      const data = recordable.of(this);
      if (typeof value === 'bigint') value = Number(value);
      validateInteger(value, 'val', 1);
      data.record(value);
    }
    recordDelta() { recordable.of(this).recordDelta(); }
    add(other) {
      const data = recordable.of(this);
      const added = recordable.get(other);
      if (added === undefined) throw ERR_INVALID_ARG_TYPE('other', 'RecordableHistogram', other);
      data.add(added);
    }
  }
  // A clone shares the counts.
  kernel.append(kernel.cloners, (value) => {
    if (recordable.get(value) !== undefined) return new RecordableHistogram(recordable.get(value));
    return counts.get(value) === undefined ? undefined : new Histogram(counts.get(value));
  });

  // An event loop's delay: how long it really takes until a timer is called again.
  class ELDHistogram extends Histogram {
    #timer;
    #resolution;
    constructor(data, resolution) {
      super(data);
      this.#resolution = resolution;
    }
    enable() {
      if (this.#timer !== undefined) return false;
      const data = counts.of(this);
      data.recordDelta();
      this.#timer = setInterval(() => { data.recordDelta(); }, this.#resolution).unref();
      return true;
    }
    disable() {
      if (this.#timer === undefined) return false;
      clearInterval(this.#timer);
      this.#timer = undefined;
      counts.of(this).before = 0;
      return true;
    }
  }

  exports.createHistogram = (options = {}) => {
    validateObject(options, 'options');
    let { lowest = 1, highest = Number.MAX_SAFE_INTEGER } = options;
    const { figures = 3 } = options;
    if (typeof lowest === 'bigint') lowest = Number(lowest);
    if (typeof highest === 'bigint') highest = Number(highest);
    validateInteger(lowest, 'options.lowest', 1, Number.MAX_SAFE_INTEGER);
    validateInteger(highest, 'options.highest', 2 * lowest, Number.MAX_SAFE_INTEGER);
    validateInteger(figures, 'options.figures', 1, 5);
    return new RecordableHistogram(new Counts(lowest, highest, figures));
  };
  exports.monitorEventLoopDelay = (options = {}) => {
    validateObject(options, 'options');
    const { resolution = 10 } = options;
    validateInteger(resolution, 'options.resolution', 1);
    return new ELDHistogram(new Counts(1, 3.6e12, 3), resolution);
  };
})
