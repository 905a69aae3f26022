// Pipes a bomb through streams whose output nobody keeps.
// ends: time limit
const zlib = require('zlib');
const bomb = zlib.gzipSync(Buffer.alloc(3e7));
const one = () => {
  const stream = zlib.createGunzip();
  stream.on('data', () => {}).on('end', one);
  for (let i = 0; i < 1000; i++) stream.write(bomb);
  stream.end();
};
one();
