// A path becomes longer by a directory in each turn.
// ends: exception Error
for (let path = '/a'; ; path += '/a') fs.mkdirSync(path);
