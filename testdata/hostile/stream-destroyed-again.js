// Streams destroy each other, and make new ones when they close.
// ends: time limit or memory limit
const { Duplex } = require('stream');
const next = (other) => {
  const stream = new Duplex({ destroy(error, done) { other?.destroy(error); done(error); } });
  stream.on('error', () => {}).on('close', () => { next(stream); next(); });
  stream.destroy(new Error('x'));
};
next();
