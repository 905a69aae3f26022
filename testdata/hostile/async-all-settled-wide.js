// A hundred thousand promises are waited for at once, again and again.
// ends: time limit or memory limit
for (;;) await Promise.allSettled(Array.from({ length: 1e5 }, (_, i) => (i % 2 ? i : Promise.reject(i))));
