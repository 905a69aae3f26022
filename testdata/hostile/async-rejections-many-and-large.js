// Thousands of unhandled rejections have long messages, which could all be shown after the script has returned.
// ends: exception Error or time limit or memory limit
const message = 'x'.repeat(1e5);
for (let i = 0; i < 1e4; i++) Promise.reject(new Error(message));
return 'done';
