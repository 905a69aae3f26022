package mcpserver

// RequestID finds the id of a request that is not passed on.
var RequestID = requestID
