// Directories are made in one another and side by side.
// ends: time limit or exception Error
for (let i = 0; ; i++) fs.mkdirSync(`/d${i % 50}/d${i % 49}/d${i}`, { recursive: true });
