export { type QueueDepth, readQueueDepth } from "./queue-depth.store.ts";
