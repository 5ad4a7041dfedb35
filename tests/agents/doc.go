// Package agents finds the real agents that install.sh put into a folder, and
// makes each ready to run against a model server on the loopback interface.
//
// An agent that is set up reads and writes nothing of the user's: it has a home
// of its own, with a configuration that names the model server and asks before a
// tool runs. Its environment also sends whatever is not for the loopback
// interface to a proxy that is not there, and Offline takes the network away
// altogether, so that a test proves nothing about what the agents' makers serve.
//
// The package starts no agent and changes no session: its Provider is what a
// [providers.<id>] table of craze's config.toml says, and the smoke test (build
// tag agents) runs the same command with no craze in between.
package agents
