const bcrypt = require('bcryptjs');
const hash = bcrypt.hashSync('s3cret', 4);
return JSON.stringify([
  bcrypt.compareSync('s3cret', hash), await bcrypt.compare('other', hash), hash.length, bcrypt.getRounds(hash),
  bcrypt.hashSync('p', '$2a$04$abcdefghijklmnopqrstuu'), (await bcrypt.hash('x', await bcrypt.genSalt(4))).slice(0, 7),
]);
