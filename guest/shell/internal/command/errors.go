package command

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"syscall"
	"unicode"
	"unicode/utf8"
)

// Texts of errors, as the C library has them.
var errnoTexts = map[syscall.Errno]string{
	syscall.EACCES:       "Permission denied",
	syscall.EBADF:        "Bad file descriptor",
	syscall.EBUSY:        "Device or resource busy",
	syscall.EEXIST:       "File exists",
	syscall.EFBIG:        "File too large",
	syscall.EILSEQ:       "Invalid or incomplete multibyte or wide character",
	syscall.EINVAL:       "Invalid argument",
	syscall.EIO:          "Input/output error",
	syscall.EISDIR:       "Is a directory",
	syscall.ELOOP:        "Too many levels of symbolic links",
	syscall.EMFILE:       "Too many open files",
	syscall.ENAMETOOLONG: "File name too long",
	syscall.ENOENT:       "No such file or directory",
	syscall.ENOSPC:       "No space left on device",
	syscall.ENOSYS:       "Function not implemented",
	syscall.ENOTDIR:      "Not a directory",
	syscall.ENOTEMPTY:    "Directory not empty",
	syscall.ENOTSUP:      "Operation not supported",
	syscall.EPERM:        "Operation not permitted",
	syscall.EPIPE:        "Broken pipe",
	syscall.EROFS:        "Read-only file system",
	syscall.ESPIPE:       "Illegal seek",
	syscall.EXDEV:        "Invalid cross-device link",
}

// Text says an error of a file or stream as GNU commands do, without the name of the file.
func Text(err error) string {
	if err == nil {
		return ""
	}
	if errno, ok := errors.AsType[syscall.Errno](err); ok {
		if text, ok := errnoTexts[errno]; ok {
			return text
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errnoTexts[syscall.ENOENT]
	case errors.Is(err, fs.ErrExist):
		return errnoTexts[syscall.EEXIST]
	case errors.Is(err, fs.ErrPermission):
		return errnoTexts[syscall.EACCES]
	case errors.Is(err, os.ErrClosed):
		return errnoTexts[syscall.EBADF]
	case errors.Is(err, io.ErrUnexpectedEOF):
		return "unexpected end of file"
	}
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		err = pathError.Err
	}
	return err.Error()
}

// Quote quotes a name for an error, as GNU commands do: 'name'.
func Quote(s string) string {
	if !strings.Contains(s, "'") && printable(s) {
		return "'" + s + "'"
	}
	return quote(s)
}

// QuoteText quotes a word of a command line that is not the name of a file, as GNU commands do in UTF-8: ‘word’.
func QuoteText(s string) string {
	if printable(s) {
		return "‘" + s + "’"
	}
	q := quote(s)
	return "‘" + q[1:len(q)-1] + "’"
}

// QuoteOdd quotes a name for an error only if it has characters that are special to a shell, or a colon.
func QuoteOdd(s string) string {
	if s == "" || s == "{" || s == "}" || s[0] == '#' || s[0] == '~' || !printable(s) ||
		strings.ContainsAny(s, " \"'`$&|;<>()*?[!\\^=:") {
		return Quote(s)
	}
	return s
}

func printable(s string) bool {
	if !utf8.ValidString(s) {
		return false
	}
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// quote quotes for a shell what has quotes or bytes that cannot be shown.
func quote(s string) string {
	if printable(s) && !strings.ContainsAny(s, "\"$`\\!") {
		return `"` + s + `"`
	}
	var b strings.Builder
	b.WriteByte('\'')
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		part := s[i : i+size]
		i += size
		switch {
		case r == '\'':
			b.WriteString(`'\''`)
		case (r == utf8.RuneError && size == 1) || !unicode.IsPrint(r):
			b.WriteString("'$'")
			for _, c := range []byte(part) {
				if name := strings.IndexByte("\a\b\t\n\v\f\r", c); name >= 0 {
					b.WriteString("\\" + string("abtnvfr"[name]))
				} else {
					b.WriteString("\\" + string([]byte{'0' + c>>6, '0' + c>>3&7, '0' + c&7}))
				}
			}
			b.WriteString("''")
		default:
			b.WriteString(part)
		}
	}
	b.WriteByte('\'')
	return b.String()
}

// ErrClosed is the error of a stream that is closed.
var ErrClosed error = syscall.EBADF
