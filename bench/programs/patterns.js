// Forty regular expressions, as models write them to take texts apart, over a log of 31 KB.
function main() {
  const text = `2026-11-28T09:14:07.312Z INFO  [api-7] GET /v1/users/84?page=2&sort=name 200 14ms user=anna@example.org
2026-11-28T09:14:08.001Z WARN  [api-2] POST /v1/orders 409 103ms "duplicate key: orders_pkey" ip=10.12.0.7
2026-11-28T09:14:08.455Z ERROR [worker] TypeError: Cannot read properties of undefined (reading 'id')
    at Object.handle (/srv/app/src/orders.js:118:23)
    at async Promise.all (index 0)
Total: $1,249.50 (incl. 19.0% VAT), phone +49 30 901820, see https://docs.example.com/a/b?c=d#e or call 555-0199.
## Results for "Q3 report"
- [x] import { readFile, writeFile } from 'node:fs/promises';
- [ ] <a href="/items/42" class="link  wide">Item &amp; more</a> <!-- generated -->
const totalCount = items.map((item) => item.price * 1.19).filter(Boolean); // TODO: round #f7a23b
`.repeat(40);
  const patterns = [
    /\d{4}-\d{2}-\d{2}/g, /(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?Z/g, /^\S+ (INFO|WARN|ERROR)/gm,
    /\[([^\]]+)\]/g, /\b(GET|POST|PUT|DELETE)\s+(\S+)/g, /\s(\d{3})\s(\d+)ms/g, /[\w.+-]+@[\w-]+\.[\w.]+/g,
    /\b\d{1,3}(?:\.\d{1,3}){3}\b/g, /"([^"]*)"/g, /'([^'\\]|\\.)*'/g, /(\w+)=(\S+)/g, /[?&]([^=&#\s]+)=([^&#\s]*)/g,
    /(?:TypeError|RangeError|SyntaxError): (.*)$/gm, /at (?:async )?([\w.]+) \(([^)]+)\)/g, /([^/]+\.js):(\d+):(\d+)/g,
    /\$[\d,]+\.\d{2}/g, /(\d+(?:\.\d+)?)%/g, /\+?\d[\d\s-]{7,}\d/g, /https?:\/\/[^\s)"']+/g,
    /^#{1,6}\s+(.+)$/gm, /^[-*]\s+\[( |x)\]\s*(.*)$/gm, /import\s*\{([^}]*)\}\s*from\s*['"]([^'"]+)['"]/g,
    /<(\w+)([^>]*)>(.*?)<\/\1>/g, /(\w+)="([^"]*)"/g, /&(?:amp|lt|gt|quot|#\d+);/g, /<!--[\s\S]*?-->/g,
    /\/\/.*$/gm, /\b(const|let|var)\s+(\w+)\s*=/g, /([a-z])([A-Z])/g, /\.(\w+)\(/g, /#[0-9a-f]{6}/gi, /TODO:?\s*(.+)/g,
    /\s+$/gm, /\s{2,}/g, /[^\x20-\x7e\n]/g, /[aeiou]/gi, /\b\w{10,}\b/g, /\r?\n/g, /,(?=\d{3})/g, /^\s*$/gm,
  ];
  let found = 0;
  for (const pattern of patterns) {
    let match;
    pattern.lastIndex = 0;
    while ((match = pattern.exec(text)) !== null) {
      found += match.index % 7 + match.length;
      if (match[0] === '') pattern.lastIndex++;
    }
  }
  return found;
}
