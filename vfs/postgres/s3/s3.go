// Package s3 keeps large contents of projects in a bucket of S3, or of anything that speaks its protocol.
//
//	bucket, err := s3.Open("s3://my-bucket/toolrun", nil)
//	...
//	store, err := postgres.OpenWith(ctx, "postgres://toolrun@db.example.com/toolrun", nil,
//		&postgres.Options{Objects: bucket})
//
// Without credentials in [Options], those of the environment are used: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY (or
// MINIO_ROOT_USER and MINIO_ROOT_PASSWORD), the file that AWS_SHARED_CREDENTIALS_FILE names, or else
// ~/.aws/credentials, and the role of the machine or the container. They are in no error.
//
// They must allow s3:GetObject, s3:PutObject, s3:DeleteObject and, for `toolrun store check` and `toolrun store sweep`,
// s3:ListBucket.
//
// # Experimental
//
// For databases whose large contents lie in a bucket. The options may change with any version; stored contents stay
// readable.
package s3

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"github.com/toolrun/toolrun/vfs/postgres"
)

// Options say how to reach a bucket. The zero value is usual.
type Options struct {
	// Region is where the bucket is. Empty means that of the environment variable AWS_REGION that minio-go finds, or
	// else that which the server names.
	Region string
	// AccessKey and SecretKey, and the SessionToken of temporary ones, are used instead of those of the environment.
	AccessKey, SecretKey, SessionToken string
}

// A Bucket is [postgres.Objects] in a bucket, below a prefix.
type Bucket struct {
	core   minio.Core
	bucket string
	prefix string
}

var _ postgres.Objects = (*Bucket)(nil)

// amazon is the host of addresses that begin with s3:.
const amazon = "s3.amazonaws.com"

// roleTime is how long asking the machine for the credentials of its role may take.
const roleTime = 5 * time.Second

// Open returns the bucket at an address: "s3://BUCKET/PREFIX" at Amazon, or "https://HOST:PORT/BUCKET/PREFIX"
// elsewhere. The prefix can be left out. It does not connect.
func Open(address string, options *Options) (*Bucket, error) {
	var o Options
	if options != nil {
		o = *options
	}
	at, err := url.Parse(address)
	switch {
	case err != nil:
		return nil, errors.New("the address of the object storage is no URL")
	case at.User != nil:
		return nil, errors.New("the address of the object storage has credentials: put them into the environment")
	case at.RawQuery != "" || at.Fragment != "":
		return nil, errors.New("the address of the object storage has more than a host, a bucket and a prefix")
	}
	host, path := at.Host, strings.Trim(at.Path, "/")
	switch at.Scheme {
	case "s3":
		host, path = amazon, at.Host+"/"+path
	case "http", "https":
	default:
		return nil, fmt.Errorf("the address of the object storage is s3://BUCKET/PREFIX "+
			"or https://HOST/BUCKET/PREFIX, not %s://", at.Scheme)
	}
	bucket, prefix, _ := strings.Cut(strings.Trim(path, "/"), "/")
	if host == "" || bucket == "" {
		return nil, errors.New("the address of the object storage names no bucket")
	}
	if prefix != "" {
		prefix += "/"
	}
	keys := credentials.NewStaticV4(o.AccessKey, o.SecretKey, o.SessionToken)
	if o.AccessKey == "" {
		keys = credentials.NewChainCredentials([]credentials.Provider{
			&credentials.EnvAWS{}, &credentials.EnvMinio{}, &credentials.FileAWSCredentials{},
			&credentials.IAM{Client: &http.Client{Timeout: roleTime}},
		})
	}
	client, err := minio.New(host, &minio.Options{
		Creds: keys, Secure: at.Scheme != "http", Region: o.Region, MaxRetries: 3,
	})
	if err != nil {
		return nil, fmt.Errorf("the address of the object storage: %w", err)
	}
	return &Bucket{minio.Core{Client: client}, bucket, prefix}, nil
}

// readable makes an error of something that the server has said or of the way to it. What servers write into their
// errors is left out: they know of the request whatever was in it.
func readable(err error) error {
	r, ok := errors.AsType[minio.ErrorResponse](err)
	if !ok {
		return err
	}
	switch r.Code {
	case "NoSuchKey":
		return fs.ErrNotExist
	case "NoSuchBucket":
		return errors.New("there is no such bucket")
	}
	code := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return -1
	}, r.Code)
	return fmt.Errorf("the server answers %d %.40s", r.StatusCode, code)
}

// Put implements [postgres.Objects].
func (b *Bucket) Put(ctx context.Context, name string, data []byte) error {
	_, err := b.core.Client.PutObject(ctx, b.bucket, b.prefix+name, bytes.NewReader(data), int64(len(data)),
		minio.PutObjectOptions{ContentType: "application/octet-stream", DisableMultipart: true})
	return readable(err)
}

// Get implements [postgres.Objects].
func (b *Bucket) Get(ctx context.Context, name string) (data []byte, err error) {
	for range 2 { // the connection can be lost while reading
		var body io.ReadCloser
		body, _, _, err = b.core.GetObject(ctx, b.bucket, b.prefix+name, minio.GetObjectOptions{})
		if err != nil {
			return nil, readable(err)
		}
		data, err = io.ReadAll(io.LimitReader(body, postgres.MaxObject+1))
		_ = body.Close()
		if err == nil && len(data) > postgres.MaxObject {
			return nil, errors.New("the object is too large to be one of toolrun")
		}
		if err == nil || ctx.Err() != nil {
			break
		}
	}
	return data, readable(err)
}

// Remove implements [postgres.Objects].
func (b *Bucket) Remove(ctx context.Context, name string) error {
	err := readable(b.core.RemoveObject(ctx, b.bucket, b.prefix+name, minio.RemoveObjectOptions{}))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// List implements [postgres.Objects].
func (b *Bucket) List(ctx context.Context) iter.Seq2[postgres.Object, error] {
	return func(yield func(postgres.Object, error) bool) {
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		for found := range b.core.Client.ListObjectsIter(ctx, b.bucket,
			minio.ListObjectsOptions{Prefix: b.prefix, Recursive: true}) {
			if found.Err != nil {
				yield(postgres.Object{}, readable(found.Err))
				return
			}
			name, ok := strings.CutPrefix(found.Key, b.prefix)
			if ok && !yield(postgres.Object{Name: name, Modified: found.LastModified}, nil) {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(postgres.Object{}, err)
		}
	}
}
