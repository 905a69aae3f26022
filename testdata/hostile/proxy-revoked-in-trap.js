// A proxy is revoked by its own traps while native methods work on it.
// ends: returns 4 refused
const attempt = (use) => {
  const { proxy, revoke } = Proxy.revocable([3, 1, 2], {
    get(target, name) {
      if (name === '1') revoke();
      return Reflect.get(target, name);
    },
  });
  try {
    use(proxy);
    return 0;
  } catch (error) {
    return error instanceof TypeError ? 1 : 0;
  }
};
const refused = attempt((p) => p.sort()) + attempt((p) => [].concat(p)) + attempt(
  (p) => JSON.stringify(p)) + attempt((p) => p.join());
return refused + ' refused';
