// Encrypts without end.
// ends: time limit
const cipher = require('crypto').createCipheriv('aes-256-gcm', Buffer.alloc(32), Buffer.alloc(12));
const bytes = Buffer.alloc(1e7);
for (;;) cipher.update(bytes);
