// Years far from now are counted month by month where an engine is careless.
// ends: time limit
for (let n = 0; ; n++) new Date(8.64e15 - n).setUTCMonth(-(2 ** 31), -(2 ** 31)) + Date.UTC(271821 - n, 1e9, -1e9);
