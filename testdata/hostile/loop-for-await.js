// An async generator without end feeds a loop.
// ends: time limit
async function* ticks() {
  for (let n = 0; ; n++) yield n;
}
let last;
for await (const n of ticks()) last = n;
return last;
