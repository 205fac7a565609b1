import { randomBase62 } from "../kernel/random.ts";

const processPart = randomBase62(8);
let count = 0;

/** Unique over all nodes, cheap to make, and short enough to be read out on the telephone. */
export const newRequestId = (): string => `req_${processPart}${(count++).toString(36).padStart(6, "0")}`;
