// Asks for a key that fills the memory, with a long salt for each of its blocks.
// ends: time limit
return require('crypto').pbkdf2Sync('p', Buffer.alloc(1e7), 1, 1e7, 'md5').length;
