// stream/promises: finished and pipeline as promises.
(function (kernel, require, module, exports) {
  'use strict';
  require('stream');
  const { finished, pipelinePromise } = require('internal/stream/end');
  exports.finished = finished.finished;
  exports.pipeline = pipelinePromise;
})
