import type { Operation } from "../define-operation.ts";
import type { PolicyName } from "./default-quotas.ts";

const policies: Record<NonNullable<Operation["countsAs"]> | "default", readonly PolicyName[]> = {
  default: ["default"],
  write: ["default", "write"],
  run: ["default", "run"],
};

/** The rate limits that a call of this operation counts against. */
export const policiesOf = ({ countsAs }: Operation): readonly PolicyName[] => policies[countsAs ?? "default"];
