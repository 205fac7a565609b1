import type { Problem } from "../kernel/problem.ts";
import type { CallBody, CallSeen } from "./call.ts";

/** A request to a face that has its own protocol, such as SCIM. The web server passes it on and decides nothing. */
export interface FaceRequest {
  method: string;
  /** The raw path and query. */
  url: string;
  authorization: string | undefined;
  contentType: string;
  /** The raw preconditions. */
  ifMatch: string | undefined;
  ifNoneMatch: string | undefined;
  body: CallBody;
  requestId: string;
  ip: string;
  /** What becomes known of the request, for the log and the headers. */
  seen: CallSeen;
}

export interface FaceAnswer {
  status: number;
  headers: Record<string, string>;
  /** Bytes where it is large and was written in slices. */
  body: string | Buffer;
}

/** A face with its own forms for answers and refusals. The server mounts it under its prefix. */
export interface Face {
  /** Every path below it belongs to the face. */
  prefix: `/${string}`;
  bodyBytesMax: number;
  /** The names under which its requests are counted and logged, and which of them a request gets. */
  operations: readonly string[];
  operationOf(url: string): string;
  /** Throws a Problem, or an error of the store, for what it does not refuse by itself. */
  answer(request: FaceRequest): Promise<FaceAnswer>;
  refuse(problem: Problem): FaceAnswer;
}
