const sanitizeHtml = require('sanitize-html');
return JSON.stringify([
  sanitizeHtml('<p onclick="x()">Hi <script>alert(1)</script><b>b</b><a href="javascript:x">l</a><img src=x></p>'),
  sanitizeHtml('<div class="a b" style="color:red;position:fixed">x</div>', {
    allowedTags: ['div'], allowedClasses: { div: ['a'] }, allowedAttributes: { div: ['style'] },
    allowedStyles: { '*': { color: [/^red$/] } },
  }),
  sanitizeHtml('a < b <ol><li>x</ol>', { allowedTags: [], allowedAttributes: {} }),
]);
