// A Brotli stream is flushed after each byte, so that there is ever more to do again.
// ends: time limit
const stream = require('zlib').createBrotliCompress();
stream.resume();
const next = () => {
  stream.write('x');
  stream.flush(next);
};
next();
