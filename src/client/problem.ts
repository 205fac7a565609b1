import type { ProblemCode as ServerCode } from "../kernel/problem.ts";

/** One mistake in the input: a JSON Pointer to the value, and a sentence. */
export interface FieldMistake {
  pointer: string;
  code: string;
  detail: string;
}

/**
 * The codes of docs/errors.md, and two of the client: `unreachable` (no response came) and `unreadable` (the response is not
 * one of Signalbox). A newer server may have further ones.
 */
export type ProblemCode = ServerCode | "unreachable" | "unreadable" | (string & Record<never, never>);

/** A refusal. `code` never changes its meaning; `detail` and `remedy` are sentences for a person. */
export class SignalboxProblem extends Error {
  override readonly name = "SignalboxProblem";
  readonly code: ProblemCode;
  /** The HTTP status; 0 if no response came. */
  readonly status: number;
  readonly detail: string;
  readonly remedy: string;
  readonly requestId: string;
  readonly errors: FieldMistake[];
  /** When the call may be made again, if the server said so. */
  readonly retryAfterSeconds: number | null;
  /** The whole problem, with members that only some codes have. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(
    status: number,
    body: Record<string, unknown>,
    options: ErrorOptions & { retryAfterSeconds?: number | null } = {},
  ) {
    const detail = textOf(body.detail) || `The server responded with status ${status}.`;
    super(detail, options);
    this.code = textOf(body.code) || "unreadable";
    this.status = status;
    this.detail = detail;
    this.remedy = textOf(body.remedy);
    this.requestId = textOf(body.request_id);
    this.errors = Array.isArray(body.errors) ? (body.errors as FieldMistake[]) : [];
    this.retryAfterSeconds = options.retryAfterSeconds ?? null;
    this.body = body;
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** No response came. Status 0 stands for "no status". */
export const unreachable = (cause: unknown): SignalboxProblem =>
  new SignalboxProblem(
    0,
    {
      code: "unreachable",
      detail: "The server cannot be reached.",
      remedy: "Check the network connection and the address, then try again.",
    },
    { cause },
  );

/** Something else than Signalbox answered: a proxy, a sign-in page, another service. */
export const unreadable = (status: number, cause?: unknown): SignalboxProblem =>
  new SignalboxProblem(
    status,
    {
      code: "unreadable",
      detail: `The response with status ${status} is not one of Signalbox.`,
      remedy: "Check that the address is that of a Signalbox server, and what stands in front of it.",
    },
    { cause },
  );
