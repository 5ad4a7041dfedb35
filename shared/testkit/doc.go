// Package testkit is what the tests of every package share: the leak check,
// directories short enough for sockets, waiting for a condition, and golden
// files. It is imported by tests only and imports nothing of this repository,
// so that any package's tests may use it.
//
// Eventually is the one place of the tests that waits by the clock: it looks
// at once and then at every tick, and it fails the test with what it last saw
// when its time is over. Nothing here outlives the test that called it.
package testkit
