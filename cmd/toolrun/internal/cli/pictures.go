package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/toolrun/toolrun/cmd/toolrun/internal/terminal"
	"github.com/toolrun/toolrun/tool"
)

// showPictures shows the pictures of a result: on the terminal, if it can, and otherwise in files.
func (p *personPrinter) showPictures(result tool.Result) error {
	dir, number := "", 0
	for _, part := range result.Content {
		if part.Data == nil || !strings.HasPrefix(part.MIME, "image/") {
			continue
		}
		number++
		if terminal.IsTerminal(p.out.Writer) && terminal.ShowsPictures(p.getenv, part.MIME) {
			if err := terminal.Picture(p.out.Writer, p.getenv, part.Data); err != nil {
				return err
			}
			continue
		}
		if dir == "" {
			var err error
			if dir, err = os.MkdirTemp("", "toolrun-pictures-"); err != nil {
				return err
			}
		}
		kind := strings.TrimSuffix(strings.TrimPrefix(part.MIME, "image/"), "+xml")
		name := filepath.Join(dir, fmt.Sprintf("picture-%d.%s", number, filepath.Base(kind)))
		if err := os.WriteFile(name, part.Data, 0o600); err != nil {
			return err
		}
		if err := p.errs.endLine(); err != nil {
			return err
		}
		if err := p.errs.print(terminal.Plain, fmt.Sprintf("picture %d is in %s\n", number, name)); err != nil {
			return err
		}
	}
	return nil
}
