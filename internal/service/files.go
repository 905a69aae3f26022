package service

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/afero"

	"github.com/toolrun/toolrun/internal/text/filediff"
	"github.com/toolrun/toolrun/internal/text/filetext"
	"github.com/toolrun/toolrun/internal/text/filetype"
	"github.com/toolrun/toolrun/internal/text/plaintext"
	"github.com/toolrun/toolrun/vfs"
)

type ListFilesRequest struct {
	Project string `json:"project"`
	Path    string `json:"path" jsonschema:"the folder; of a file, only that is listed"`
	Offset  int    `json:"offset,omitempty" jsonschema:"how many entries to leave out"`
	Limit   int    `json:"limit,omitempty" jsonschema:"how many entries at most; the default is 500"`
}

type FileInfo struct {
	Name   string    `json:"name"`
	Path   string    `json:"path"`
	Folder bool      `json:"folder"`
	Size   int64     `json:"size"`
	Time   time.Time `json:"time"`
	// Special is a link, a pipe or a device, which can be deleted only. Mount is a project that is mounted.
	Special bool        `json:"special,omitempty"`
	Mount   bool        `json:"mount,omitempty"`
	Mode    fs.FileMode `json:"-"`
}

type FilesAnswer struct {
	Path  string     `json:"path"`
	Files []FileInfo `json:"files"`
	Total int        `json:"total" jsonschema:"how many entries the folder has"`
	File  bool       `json:"file,omitempty" jsonschema:"the path is that of a file, which is all that is listed"`
}

// ListFiles lists a folder, folders first, or a file alone.
func (s *Service) ListFiles(ctx context.Context, in ListFilesRequest) (FilesAnswer, error) {
	return within(ctx, s, Read, in.Project, "", func(p vfs.Project) (FilesAnswer, error) {
		out := FilesAnswer{Files: []FileInfo{}}
		dir, err := vfs.Clean(in.Path)
		if err != nil {
			return out, err
		}
		out.Path = dir
		infos, err := afero.ReadDir(p, in.Path)
		if err != nil {
			if info, absent := p.Stat(in.Path); absent == nil && !info.IsDir() {
				infos, dir, err, out.File = []fs.FileInfo{info}, path.Dir(dir), nil, true
			}
		}
		if err != nil {
			return out, err
		}
		out.Total = len(infos)
		limit := s.part(in.Limit, 500, 2000)
		for _, folders := range []bool{true, false} {
			for _, info := range infos {
				if info.IsDir() != folders {
					continue
				}
				if in.Offset > 0 {
					in.Offset--
					continue
				}
				if len(out.Files) < limit {
					out.Files = append(out.Files, newFileInfo(p, path.Join(dir, info.Name()), info))
				}
			}
		}
		return out, nil
	})
}

func newFileInfo(p vfs.Project, name string, info fs.FileInfo) FileInfo {
	f := FileInfo{Name: info.Name(), Path: name, Folder: info.IsDir(), Time: info.ModTime(),
		Special: !info.IsDir() && !info.Mode().IsRegular(), Mount: vfs.IsMount(p, name), Mode: info.Mode()}
	if !f.Folder {
		f.Size = info.Size()
	}
	return f
}

type TextRequest struct {
	Project string `json:"project"`
	Path    string `json:"path"`
	Offset  int64  `json:"offset,omitempty" jsonschema:"where the part begins, in bytes; it begins with the line there"`
	Limit   int64  `json:"limit,omitempty" jsonschema:"how large it may be, in bytes; the default is 128 KiB"`
	Change  int64  `json:"change,omitempty" jsonschema:"read the file as it was before this change"`
}

// Part is how many bytes the answer may have.
func (in *TextRequest) Part() int64 {
	return int64(page(int(min(in.Limit, mostPart)), usualPart, mostPart))
}

type TextAnswer struct {
	Path   string    `json:"path"`
	Size   int64     `json:"size" jsonschema:"in bytes: of the text, if it has another encoding than the file"`
	Time   time.Time `json:"time"`
	MIME   string    `json:"mime"`
	Binary bool      `json:"binary" jsonschema:"it is not text, and has none here"`
	Text   string    `json:"text"`
	// Encoding is that of the file. The text is decoded, and saving it encodes it again.
	Encoding string `json:"encoding,omitempty" jsonschema:"the file's, such as UTF-16LE, if it is not UTF-8"`
	Offset   int64  `json:"offset" jsonschema:"where the text begins"`
	End      int64  `json:"end" jsonschema:"where it ends"`
	Line     int64  `json:"line" jsonschema:"the number of its first line, from 1"`
	// Version is for saving the file. It is empty if the file is too large to be edited here, or not text.
	Version string `json:"version"`
}

// MaxEdit is how many bytes a text may have that is edited.
const MaxEdit = 1 << 20

// whole is how many bytes a file may have that is kept in memory.
func (s *Service) whole() int { return min(s.part(0, MaxEdit, MaxEdit), vfs.DefaultFileSize) }

const (
	usualPart = 128 << 10
	mostPart  = 1 << 20
)

// VersionOf identifies the content of a file.
func VersionOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:16])
}

// readAt reads at most so many bytes from a place.
func readAt(f io.ReaderAt, offset, n int64) ([]byte, error) {
	data := make([]byte, n)
	got, err := f.ReadAt(data, offset)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return data[:got], err
}

// ReadText returns a part of a text file, in whole lines.
func (s *Service) ReadText(ctx context.Context, in TextRequest) (TextAnswer, error) {
	return within(ctx, s, Read|before(in.Change), in.Project, "", func(p vfs.Project) (TextAnswer, error) {
		out := TextAnswer{}
		f, info, err := openFile(ctx, p, in.Path, in.Change)
		if err != nil {
			return out, err
		}
		defer f.Close()
		out.Path, out.Size, out.Time = in.Path, info.Size(), info.ModTime()
		head, err := readAt(f, 0, min(out.Size, filetype.HeadSize))
		if err != nil {
			return out, err
		}
		out.MIME, out.Binary = filetype.Of(in.Path, head)
		if out.Size > MaxEdit {
			if out.Binary {
				return out, nil
			}
			return out, readPart(f, in, &out)
		}
		all, err := readAt(f, 0, out.Size)
		if err != nil {
			return out, err
		}
		text, form, ok := filetext.Decode(all)
		switch {
		case !ok && out.Binary:
			return out, nil
		case !ok: // what follows the head is not text
			text = all
		case form.Encoding() != "":
			out.Encoding, out.Size = form.Encoding(), int64(len(text))
			out.MIME, out.Binary = filetype.Of(in.Path, text)
		}
		if in.Change == 0 && len(text) <= MaxEdit && utf8.Valid(text) {
			out.Version = VersionOf(all)
		}
		return out, readPart(bytes.NewReader(text), in, &out)
	})
}

// openFile opens a regular file, now or before a change.
func openFile(ctx context.Context, p vfs.Project, name string, change int64) (afero.File, fs.FileInfo, error) {
	open := func() (afero.File, error) { return p.Open(name) }
	if change > 0 {
		open = func() (afero.File, error) { return p.OpenVersion(ctx, change) }
	}
	f, err := open()
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = Bad("path", "%s is a folder", name)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, info, nil
}

// readPart sets the text that begins with the line at an offset. Lines that are longer than a part are cut.
func readPart(f io.ReaderAt, in TextRequest, out *TextAnswer) error {
	offset, limit := max(0, min(in.Offset, out.Size)), in.Part()
	out.Line = 1
	const block = 1 << 20
	begin := int64(0) // of the line
	for at := int64(0); at < offset; at += block {
		data, err := readAt(f, at, min(block, offset-at))
		if err != nil {
			return err
		}
		out.Line += int64(bytes.Count(data, []byte{'\n'}))
		if i := bytes.LastIndexByte(data, '\n'); i >= 0 {
			begin = at + int64(i) + 1
		}
	}
	if offset-begin > limit { // a line of many parts
		begin = offset
	}
	data, err := readAt(f, begin, min(limit, out.Size-begin))
	if err != nil {
		return err
	}
	for begin > 0 && len(data) > 0 && !utf8.RuneStart(data[0]) {
		data, begin = data[1:], begin+1
	}
	if begin+int64(len(data)) < out.Size { // whole lines, or at least whole characters
		if i := bytes.LastIndexByte(data, '\n'); i >= 0 {
			data = data[:i+1]
		} else {
			data = data[:plaintext.Boundary(string(data), len(data))]
			for n := 1; n < utf8.UTFMax && n < len(data); n++ {
				if last := data[len(data)-n]; utf8.RuneStart(last) {
					if last >= utf8.RuneSelf && !utf8.FullRune(data[len(data)-n:]) {
						data = data[:len(data)-n]
					}
					break
				}
			}
		}
	}
	out.Text, out.Offset, out.End = string(data), begin, begin+int64(len(data))
	return nil
}

type ContentRequest struct {
	Project string `json:"project"`
	Path    string `json:"path"`
	Change  int64  `json:"change,omitempty" jsonschema:"the file as it was before this change"`
}

// images are what browsers show without running anything, whoever has made them.
var images = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true,
	"image/webp": true, "image/avif": true,
	"image/bmp": true, "image/svg+xml": true}

// A Content is that of a file, to save it or to show it as an image.
type Content struct {
	io.Reader
	Path string // as it was asked for, or that of then
	Kind string // application/octet-stream, or that of an image
	Size int64
}

// ReadContent calls send with a whole file, which is closed afterwards.
func (s *Service) ReadContent(ctx context.Context, in ContentRequest, send func(Content) error) error {
	_, err := within(ctx, s, Read|before(in.Change), in.Project, "", func(p vfs.Project) (Nothing, error) {
		f, info, err := openFile(ctx, p, in.Path, in.Change)
		if err != nil {
			return Nothing{}, err
		}
		defer f.Close()
		head, err := readAt(f, 0, min(info.Size(), filetype.HeadSize))
		if err != nil {
			return Nothing{}, err
		}
		kind, _ := filetype.Of(in.Path, head)
		if strings.EqualFold(path.Ext(in.Path), ".svg") && utf8.Valid(head) {
			kind = "image/svg+xml" // in an <img>, it runs nothing and loads nothing; alone, it is saved and not shown
		}
		if !images[kind] {
			kind = "application/octet-stream"
		}
		return Nothing{}, send(Content{f, f.Name(), kind, info.Size()})
	})
	return err
}

// before returns the right that reading a file as it was before a change needs beside that to read.
func before(change int64) Right {
	if change == 0 {
		return 0
	}
	return Write
}

type SaveRequest struct {
	Project string `json:"project"`
	Path    string `json:"path"`
	Text    string `json:"text"`
	Version string `json:"version" jsonschema:"that of the text that was changed; empty if there must be no file yet"`
	// Bytes means that Text is what the file is to have, whatever its encoding was.
	Bytes bool `json:"-"`
}

type SavedAnswer struct {
	Path    string `json:"path"`
	Version string `json:"version"`
}

// SaveText writes a text file, unless it has changed since the version that was read.
func (s *Service) SaveText(ctx context.Context, in SaveRequest) (SavedAnswer, error) {
	if err := s.may(Write, in.Project); err != nil {
		return SavedAnswer{}, err
	}
	most := s.whole()
	if len(in.Text) > most {
		return SavedAnswer{}, &Error{Code: "too_large",
			Message: "texts up to 1 MiB can be edited here: upload it instead"}
	}
	return within(ctx, s, Write, in.Project, "page-edit", func(p vfs.Project) (SavedAnswer, error) {
		name, err := vfs.Clean(in.Path)
		if err != nil {
			return SavedAnswer{}, err
		}
		content := []byte(in.Text)
		err = p.Exclusively(ctx, func(files afero.Fs) error {
			now, err := readEditable(files, name, most)
			text, unsuitable := content, error(nil)
			if !in.Bytes {
				text, unsuitable = likeBefore(now, content)
			}
			switch {
			case errors.Is(err, fs.ErrNotExist) && in.Version == "":
			case errors.Is(err, fs.ErrNotExist):
				return &Error{Code: "changed",
					Message: "the file has been deleted or renamed since you opened it"}
			case err != nil:
				return err
			case in.Version == "" || VersionOf(now) != in.Version:
				f := &Error{Code: "changed", Version: VersionOf(now),
					Message: "somebody else has changed the file since you opened it"}
				if in.Version == "" {
					f.Message = "there is a file of this name already"
				}
				if s.access.Has(Read) {
					f.Diff = filediff.Compare(now, text, filediff.Limits{}).Diff
				}
				return f
			case unsuitable != nil:
				return unsuitable
			}
			content = text
			return vfs.WriteFile(ctx, files, name, content)
		})
		return SavedAnswer{name, VersionOf(content)}, err
	})
}

// readEditable returns the content of a file, or an error if it is too large to have been edited here.
func readEditable(files afero.Fs, name string, most int) ([]byte, error) {
	f, err := files.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, int64(most)+1))
	if err == nil && len(data) > most {
		err = &Error{Code: "changed",
			Message: "the file that is there now is too large to be edited here"}
	}
	return data, err
}

// likeBefore returns the content of a file with an edited text: its encoding is that of before, and so are the ends of
// its lines if the text has only \n, which is all that browsers' editors know.
func likeBefore(before, text []byte) ([]byte, error) {
	old, form, ok := filetext.Decode(before)
	if !ok {
		return text, nil
	}
	if bytes.IndexByte(text, '\r') < 0 {
		text = filetext.Keep(old, text)
	}
	content, err := form.Encode(text)
	if missing, ok := errors.AsType[*filetext.CharacterError](err); ok {
		return text, Bad("text",
			"%s, which is the encoding of the file: leave the character out, or upload the file as UTF-8", missing)
	}
	return content, err
}

// target returns the path of what is to be put somewhere: that, or one in the folder of that path.
func target(p vfs.Project, to, from string, into bool) (string, error) {
	name, err := vfs.Clean(to)
	if err != nil || !into {
		return name, err
	}
	info, err := p.Stat(to)
	if err == nil && info.IsDir() || strings.HasSuffix(to, "/") {
		return path.Join(name, path.Base(from)), nil
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return name, err
}

type UploadRequest struct {
	Project string `json:"project"`
	Path    string `json:"path"`
	Replace bool   `json:"replace,omitempty" jsonschema:"replace a file that is there"`
	Into    string `json:"into,omitempty" jsonschema:"the name that it gets if the path is a folder or ends in a slash"`
}

type UploadAnswer struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
}

// Upload puts a file into the project.
func (s *Service) Upload(ctx context.Context, in UploadRequest, content io.Reader) (UploadAnswer, error) {
	return within(ctx, s, Write, in.Project, "page-upload", func(p vfs.Project) (UploadAnswer, error) {
		name, err := target(p, in.Path, in.Into, in.Into != "")
		if err != nil {
			return UploadAnswer{}, err
		}
		if !in.Replace {
			if _, err := p.Stat(name); err == nil {
				return UploadAnswer{}, &Error{Code: "exists",
					Field: "path", Message: "there is a file of this name already"}
			}
		}
		if err := p.MkdirAll(path.Dir(name), 0o755); err != nil {
			return UploadAnswer{}, err
		}
		f, err := p.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o644)
		if err != nil {
			return UploadAnswer{}, err
		}
		n, err := io.Copy(f, content) // the project's quota ends it
		if err != nil {
			return UploadAnswer{}, err // the end of the call drops what has come
		}
		return UploadAnswer{name, n}, f.Close()
	})
}

type FolderRequest struct {
	Project string `json:"project"`
	Path    string `json:"path"`
	Again   bool   `json:"again,omitempty" jsonschema:"a folder that is there already is no error"`
	Into    string `json:"into,omitempty" jsonschema:"the name that it gets if the path is a folder or ends in a slash"`
}

type PathAnswer struct {
	Path string `json:"path"`
}

// MakeFolder makes a folder.
func (s *Service) MakeFolder(ctx context.Context, in FolderRequest) (PathAnswer, error) {
	return within(ctx, s, Write, in.Project, "page-folder", func(p vfs.Project) (PathAnswer, error) {
		name, err := target(p, in.Path, in.Into, in.Into != "")
		if err != nil {
			return PathAnswer{}, err
		}
		if !in.Again {
			if _, there := p.Stat(name); there == nil {
				return PathAnswer{}, &Error{Code: "exists",
					Field: "path", Message: "there is something of this name already"}
			}
		}
		err = p.MkdirAll(name, 0o755)
		return PathAnswer{name}, err
	})
}

type MoveRequest struct {
	Project string `json:"project"`
	Path    string `json:"path"`
	To      string `json:"to"`
	Into    bool   `json:"into,omitempty" jsonschema:"put it into the folder To if that is one or ends in a slash"`
}

// MoveFile renames or moves a file or folder. Nothing is replaced.
func (s *Service) MoveFile(ctx context.Context, in MoveRequest) (PathAnswer, error) {
	return s.bring(ctx, in, "page-rename", vfs.Move)
}

// CopyFile copies a file or a folder with all in it. Nothing is replaced.
func (s *Service) CopyFile(ctx context.Context, in MoveRequest) (PathAnswer, error) {
	return s.bring(ctx, in, "page-copy", vfs.Copy)
}

// bring moves or copies a file or folder.
func (s *Service) bring(ctx context.Context, in MoveRequest, call string,
	do func(ctx context.Context, files afero.Fs, from, to string) error) (PathAnswer, error) {
	return within(ctx, s, Write, in.Project, call, func(p vfs.Project) (PathAnswer, error) {
		to, err := target(p, in.To, in.Path, in.Into)
		if err == nil {
			_, err = p.Stat(in.Path)
		}
		if err == nil {
			err = p.MkdirAll(path.Dir(to), 0o755)
		}
		if err != nil {
			return PathAnswer{}, err
		}
		return PathAnswer{to}, do(ctx, p, in.Path, to)
	})
}

type RemoveRequest struct {
	Project string `json:"project"`
	Path    string `json:"path"`
	Empty   bool   `json:"empty,omitempty" jsonschema:"delete a folder only if nothing is in it"`
}

type RemovedAnswer struct {
	Call string `json:"call" jsonschema:"undoing it brings back what was deleted"`
}

// DeleteFile deletes a file or a folder with all in it.
func (s *Service) DeleteFile(ctx context.Context, in RemoveRequest) (RemovedAnswer, error) {
	return within(ctx, s, Write, in.Project, "page-delete", func(p vfs.Project) (RemovedAnswer, error) {
		name, err := vfs.Clean(in.Path)
		if err != nil {
			return RemovedAnswer{}, err
		}
		if name == "/" {
			return RemovedAnswer{}, Bad("path", "the project's folder itself cannot be deleted")
		}
		if in.Empty {
			err = p.Remove(in.Path)
		} else if _, err = p.Stat(in.Path); err == nil {
			err = p.RemoveAll(in.Path)
		}
		if err != nil || s.access.Files != nil { // whose call is known
			return RemovedAnswer{}, err
		}
		changes, err := p.Changes(ctx, name)
		if err != nil || len(changes) == 0 {
			return RemovedAnswer{}, err
		}
		return RemovedAnswer{changes[0].Call}, nil
	})
}
