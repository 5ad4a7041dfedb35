// Package config is the craze directory: where it is, what config.toml says,
// which agent a provider id means, and the session index.
//
// It promises that a file it cannot read changes nothing: Load gives the
// defaults beside the error, access switches fail closed and those of looks
// fail open, and no writer replaces a file it could not parse. Files are
// replaced whole (a temporary beside them, fsync, rename) and keep what craze
// does not know. The index is 0600 and guarded by a lock file, waited for at
// most lockWait; nothing else here waits. It starts no goroutine.
//
// It prints nothing: what a person should be told is given back as a warning,
// one line without a full stop. It runs no agent and reads no key of a model
// provider.
package config
