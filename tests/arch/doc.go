// Package arch holds the plan of the code: which package may import which, that
// every package says what it owns, and how long things may be.
//
// It is tests alone, and reads the workspace's own source.
package arch
