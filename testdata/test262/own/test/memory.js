/*---
flags: [noStrict]
---*/
for (var list = []; ; ) list.push(new Uint8Array(1e6).fill(1));
