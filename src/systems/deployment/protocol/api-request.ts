import type { StepRequest } from "../../work.ts";
import { effectOf } from "./endpoints.ts";

/** A request that we build ourselves. */
export const apiRequest = (
  method: "GET" | "POST" | "PATCH",
  path: string,
  more: Pick<StepRequest, "query" | "body"> = {},
): StepRequest => ({ method, api: "main", path, ...more, ...effectOf(method, path, more.query) });
