// Package config is the craze directory: where it is, what config.toml says,
// which agent a provider id means, and the session index.
//
// It promises that a file it cannot read changes nothing: Load gives the
// defaults beside the error, access switches fail closed, and no writer
// replaces a file it could not parse. Files are replaced whole (a temporary
// beside them, fsync, rename), keep what craze does not know, and are 0600. The
// index is guarded by a lock file, waited for at most lockWait. It starts no
// goroutine.
package config
