package spawn

// MarkVar is set in an agent's environment to its host's id, and so in that of
// everything it runs. A hub or a host that an agent starts is not part of it:
// the environment handed on to those leaves the variable out.
const MarkVar = "CRAZE_HOST_ID"
