import type { Problem } from "../kernel/problem.ts";
import type { CallBody, CallSeen } from "./call.ts";

/** A request as another face than the operations' own takes it: the web server decides nothing. */
export interface FaceRequest {
  method: string;
  /** Path and query, as they came. */
  url: string;
  authorization: string | undefined;
  contentType: string;
  /** Preconditions, as they came. */
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
  body: CallBody;
  requestId: string;
  ip: string;
  /** What becomes known on the way, for the log and the headers. */
  seen: CallSeen;
}

export interface FaceAnswer {
  status: number;
  headers: Record<string, string>;
  /** Bytes where it is large, and was written piece by piece. */
  body: string | Buffer;
}

/** A face that has its own form for everything, refusals included. The server mounts it under its prefix. */
export interface Face {
  /** Where it stands; what is below is its own. */
  prefix: `/${string}`;
  bodyBytesMax: number;
  /** The words that its requests are counted and logged under, and which of them a request gets. */
  operations: readonly string[];
  operationOf(url: string): string;
  /** Throws a Problem, or whatever the store threw, for what it does not refuse by itself. */
  answer(request: FaceRequest): Promise<FaceAnswer>;
  refuse(problem: Problem): FaceAnswer;
}
