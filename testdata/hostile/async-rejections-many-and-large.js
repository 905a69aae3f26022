// Thousands of unhandled rejections have long messages, which are all shown after the script has returned.
// ends: time limit or memory limit or returns done
const message = 'x'.repeat(1e5);
for (let i = 0; i < 1e4; i++) Promise.reject(new Error(message));
return 'done';
