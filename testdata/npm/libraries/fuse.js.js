const Fuse = require('fuse.js');
const books = [
  { title: "Old Man's War", author: { name: 'John Scalzi' } }, { title: 'The Lock Artist',
    author: { name: 'Steve Hamilton' } },
  { title: 'HTML5', author: { name: 'Remy Sharp' } },
];
const fuse = new (Fuse.default ?? Fuse)(books, { keys: ['title', 'author.name'], includeScore: true, threshold: 0.4 });
return JSON.stringify([fuse.search('jon scalzy').map((r) => [r.item.title, r.score.toFixed(4)]),
  fuse.search('lok').map((r) => r.refIndex)]);
