// A tree of thousands of directories is listed as a whole, with all that is known of each file.
// ends: time limit
for (let i = 0; i < 1000; i++) fs.writeFileSync(`/a${i % 10}/b${i % 100}/c${i}`, '');
for (;;) fs.readdirSync('/', { recursive: true, withFileTypes: true });
