// os: a made-up machine, the same everywhere.
(function (kernel, require, module, exports) {
  'use strict';
  const signals = { SIGHUP: 1, SIGINT: 2, SIGQUIT: 3, SIGKILL: 9, SIGTERM: 15 };
  const errno = { EPERM: 1, ENOENT: 2, EIO: 5, EBADF: 9, EAGAIN: 11, ENOMEM: 12,
    EACCES: 13, EEXIST: 17, ENOTDIR: 20, EISDIR: 21, EINVAL: 22, ENOSPC: 28,
    EROFS: 30, ENAMETOOLONG: 36, ENOTEMPTY: 39, ELOOP: 40 };
  const priority = { PRIORITY_LOW: 19, PRIORITY_BELOW_NORMAL: 10, PRIORITY_NORMAL: 0,
    PRIORITY_ABOVE_NORMAL: -7, PRIORITY_HIGH: -14, PRIORITY_HIGHEST: -20 };
  const memory = 1024 * 1024 * 1024;
  Object.assign(exports, {
    EOL: '\n',
    arch: () => 'wasm32',
    availableParallelism: () => 1,
    constants: { UV_UDP_REUSEADDR: 4, dlopen: {}, errno, signals, priority },
    cpus: () => [{ model: 'WebAssembly', speed: 0, times: { user: 0, nice: 0, sys: 0, idle: 0, irq: 0 } }],
    devNull: '/dev/null',
    endianness: () => 'LE',
    freemem: () => memory / 2,
    getPriority: () => 0,
    homedir: () => '/',
    hostname: () => 'sandbox',
    loadavg: () => [0, 0, 0],
    machine: () => 'wasm32',
    networkInterfaces: () => ({}),
    platform: () => 'linux',
    release: () => '',
    setPriority() {},
    tmpdir: () => '/tmp',
    totalmem: () => memory,
    type: () => 'Linux',
    uptime: () => kernel.now() / 1000,
    userInfo: () => ({ uid: 0, gid: 0, username: 'user', homedir: '/', shell: null }),
    version: () => '',
  });
})
