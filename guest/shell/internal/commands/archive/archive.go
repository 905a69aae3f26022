// Package archive has the commands that compress and pack files.
package archive

import "github.com/toolrun/toolrun/guest/shell/internal/command"

// Commands are the commands of this package, by their names.
var Commands = []*command.Command{
	decompressor(bzip2Format, "bunzip2", false),
	decompressor(bzip2Format, "bzcat", true),
	decompressor(bzip2Format, "bzip2", false),
	decompressor(gzipFormat, "gunzip", false),
	decompressor(gzipFormat, "gzip", false),
	tarCommand,
	decompressor(xzFormat, "unxz", false),
	unzipCommand,
	decompressor(zstdFormat, "unzstd", false),
	decompressor(xzFormat, "xz", false),
	decompressor(xzFormat, "xzcat", true),
	decompressor(gzipFormat, "zcat", true),
	zipCommand,
	decompressor(zstdFormat, "zstd", false),
	decompressor(zstdFormat, "zstdcat", true),
}
