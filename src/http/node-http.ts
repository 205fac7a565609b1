/**
 * Node's HTTP, without an `import`: that reads every export, and one of them loads all of WebSocket and fetch, which takes
 * 65 ms of each start.
 */
export const { createServer, STATUS_CODES, validateHeaderValue } = process.getBuiltinModule("node:http");
