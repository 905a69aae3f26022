package postgres

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgconn/ctxwatch"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/toolrun/toolrun/vfs"
)

// ownParameters are those of URLs that are ours, and neither the driver's nor the server's.
var ownParameters = map[string]bool{"objects": true, "objects_keep": true, "listen": true}

// cutParameters returns a URL without our own parameters, and them.
func cutParameters(databaseURL string) (rest string, own map[string]string, err error) {
	base, query, _ := strings.Cut(databaseURL, "?")
	own = map[string]string{}
	var others []string
	for pair := range strings.SplitSeq(query, "&") {
		name, value, _ := strings.Cut(pair, "=")
		if !ownParameters[name] {
			others = append(others, pair)
			continue
		}
		if own[name], err = url.QueryUnescape(value); err != nil {
			return "", nil, fmt.Errorf("the URL of the database: its parameter %s is not well-formed", name)
		}
	}
	if len(own) == 0 {
		return databaseURL, nil, nil
	}
	return strings.TrimSuffix(base+"?"+strings.Join(others, "&"), "?"), own, nil
}

// listenConfig returns the configuration for the connection that listens: at another address, if one is given, because
// a pooler is in between for the others.
func listenConfig(databaseURL, address string, usual *pgxpool.Config, o *vfs.Options) (*pgx.ConnConfig, error) {
	if address == "" {
		return usual.ConnConfig.Copy(), nil
	}
	host, port, err := net.SplitHostPort(address)
	if err != nil || host == "" {
		return nil, errors.New("the URL of the database: listen is the HOST:PORT of the server itself")
	}
	base, query, _ := strings.Cut(databaseURL, "?")
	pairs := []string{"host=" + url.QueryEscape(host), "port=" + url.QueryEscape(port)}
	for pair := range strings.SplitSeq(query, "&") {
		if name, _, _ := strings.Cut(pair, "="); name != "host" && name != "port" && name != "" {
			pairs = append(pairs, pair)
		}
	}
	config, err := configOf(base+"?"+strings.Join(pairs, "&"), o)
	if err != nil {
		return nil, err
	}
	return config.ConnConfig, nil
}

// configOf returns the configuration for connections.
func configOf(databaseURL string, o *vfs.Options) (*pgxpool.Config, error) {
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil { // the error of pgx has no password
		return nil, fmt.Errorf("the URL of the database: %w", err)
	}
	if u, err := url.Parse(databaseURL); err != nil || !u.Query().Has("pool_max_conns") {
		config.MaxConns = defaultConnections
	}
	for name, value := range map[string]string{
		"application_name": "toolrun",
		// A process that is gone must not keep its locks, even if its machine does not say that it is.
		"tcp_keepalives_idle": "15", "tcp_keepalives_interval": "5", "tcp_keepalives_count": "3",
		"client_connection_check_interval": "10s",
	} {
		if _, ok := config.ConnConfig.RuntimeParams[name]; !ok {
			config.ConnConfig.RuntimeParams[name] = value
		}
	}
	if o.NoSync {
		config.ConnConfig.RuntimeParams["synchronous_commit"] = "off"
	}
	config.ConnConfig.BuildContextWatcherHandler = func(conn *pgconn.PgConn) ctxwatch.Handler {
		return &pgconn.CancelRequestContextWatcherHandler{Conn: conn, DeadlineDelay: 5 * time.Second}
	}
	return config, nil
}
