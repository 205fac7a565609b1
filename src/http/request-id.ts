import { randomBase62 } from "../kernel/random.ts";

const processPart = randomBase62(8);
let count = 0;

/** Unique across all nodes, cheap to create, and short enough to read out on the telephone. */
export const newRequestId = (): string => `req_${processPart}${(count++).toString(36).padStart(6, "0")}`;
