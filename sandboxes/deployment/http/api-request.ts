import type { SandboxAnswer, SandboxCall } from "../../server/sandbox.ts";
import type { Caller } from "../accounts/caller.ts";
import type { Action, Resource } from "../accounts/rights.ts";
import type { Tokens } from "../accounts/tokens.ts";
import type { Builds } from "../deployments/builds.ts";
import type { Installations } from "../integration/installations.ts";
import type { Owner, World } from "../world.ts";
import type { Bucket } from "./rate-buckets.ts";

/** An authenticated call: who calls, for whom, with what allowance; the rest is the endpoint's own matter. */
export interface ApiRequest {
  call: SandboxCall;
  query: URLSearchParams;
  version: number;
  /** The path's variable parts, in order, decoded. */
  params: string[];
  caller: Caller;
  owner: Owner;
  world: World;
  builds: Builds;
  installations: Installations;
  tokens: Tokens;
}

/** One endpoint, with its version left out of the path. */
export interface Route {
  method: string;
  path: string;
  bucket: Bucket;
  /** A second, longer allowance; the headers tell of the first. */
  dayBucket?: Bucket;
  resource: Resource;
  action: Action;
  /** Calls about the caller alone, or about a team named in the path, have no scope of their own. */
  isUnscoped?: boolean;
  handle(request: ApiRequest): SandboxAnswer;
}

export const ok = (body: unknown, status = 200): SandboxAnswer => ({ status, body });
export const noContent: SandboxAnswer = { status: 204 };

export function param(request: ApiRequest, index: number): string {
  return request.params[index] ?? "";
}
