const { of, from, interval, Subject, combineLatest, firstValueFrom, lastValueFrom } = require('rxjs');
const { map, filter, reduce, take, toArray, mergeMap, scan, bufferCount, catchError } = require('rxjs/operators');
const subject = new Subject();
const seen = [];
subject.pipe(scan((a, b) => a + b, 0), bufferCount(2)).subscribe((v) => seen.push(v));
[1, 2, 3, 4].forEach((n) => subject.next(n));
return JSON.stringify([
  await lastValueFrom(from([1, 2, 3, 4]).pipe(filter((n) => n % 2 === 0), map((n) => n * 10), reduce((a, b) => a + b))),
  await firstValueFrom(interval(1).pipe(take(3), toArray())), seen,
  await lastValueFrom(of(1).pipe(mergeMap(() => { throw new Error('x'); }), catchError((e) => of(e.message)))),
  await lastValueFrom(combineLatest([of(1, 2), of('a')]).pipe(toArray())),
]);
