// Functions of the host are called with another this, as constructors, as tags and by native methods.
// ends: returns 8
let worked = 0;
const attempts = [
  () => echo.call(null, 1),
  () => echo.apply({ kernel: 1 }, [1]),
  () => Reflect.apply(echo, globalThis, [1]),
  () => new echo(1),
  () => echo`x`,
  () => [1].map(echo),
  () => echo.bind(1)(2),
  () => new Proxy(echo, {})(1),
];
for (const attempt of attempts) {
  if (attempt() !== undefined) worked++;
}
return worked;
