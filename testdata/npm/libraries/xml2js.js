const { parseStringPromise, Builder } = require('xml2js');
const data = await parseStringPromise(
  '<order id="7"><item sku="a">Pen</item><item sku="b"><![CDATA[<Ink>]]></item><total>12.50</total></order>');
let failed;
try { await parseStringPromise('<a><b></a>'); } catch (error) { failed = error.message; }
return JSON.stringify([
  data, await parseStringPromise('<r><x>1</x></r>', { explicitArray: false }),
  new Builder({ headless: true }).buildObject({ r: { $: { v: 1 }, list: { i: ['a', 'b & c'] } } }), failed,
]);
