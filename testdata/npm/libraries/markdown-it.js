const MarkdownIt = require('markdown-it');
const md = new MarkdownIt({ html: false, linkify: true, typographer: true });
md.renderer.rules.strong_open = () => '<b>';
return JSON.stringify([
  md.render('# Title\n\nSee www.example.org -- "quoted" **b**\n\n| a | b |\n|---|:-:|\n| 1 | `2` |\n\n1. x\n   - y\n\n<script>'),
  md.renderInline('*i* ~~s~~'), md.parse('> q', {}).map((t) => t.type),
]);
