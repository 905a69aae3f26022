// A flood of rejections that nobody handles, each of which is to be reported.
// ends: time limit or memory limit
for (;;) Promise.reject(new Error('unhandled'));
