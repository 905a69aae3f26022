const { XMLParser, XMLBuilder, XMLValidator } = require('fast-xml-parser');
const data = new XMLParser({ ignoreAttributes: false }).parse(
  '<?xml version="1.0"?><r><i id="1">a &amp; b</i><i id="2"><![CDATA[<c>]]></i><n>007</n></r>');
return JSON.stringify([
  data, new XMLBuilder({ format: true, ignoreAttributes: false }).build({ x: { y: [1, 'a<b'], '@_k': 'v' } }),
  XMLValidator.validate('<a><b></a>').err.msg,
]);
