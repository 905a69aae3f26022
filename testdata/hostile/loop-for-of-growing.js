// A Set that gets each of its members anew while it is gone through never ends.
// ends: time limit
const set = new Set([1]);
for (const member of set) {
  set.delete(member);
  set.add(member);
}
