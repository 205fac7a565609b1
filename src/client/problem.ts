/** One mistake in the input: a JSON Pointer to the value, and a sentence. */
export interface FieldMistake {
  pointer: string;
  code: string;
  detail: string;
}

/** A refusal. `code` never changes its meaning; `detail` and `remedy` are sentences for a person. */
export class SignalboxProblem extends Error {
  override readonly name = "SignalboxProblem";
  readonly code: string;
  readonly status: number;
  readonly detail: string;
  readonly remedy: string;
  readonly requestId: string;
  readonly errors: FieldMistake[];
  /** The whole problem, with members that only some codes have. */
  readonly body: Readonly<Record<string, unknown>>;

  constructor(status: number, body: Record<string, unknown>, options?: ErrorOptions) {
    const detail = textOf(body.detail) || `The server responded with status ${status}.`;
    super(detail, options);
    this.code = textOf(body.code) || "unreadable";
    this.status = status;
    this.detail = detail;
    this.remedy = textOf(body.remedy);
    this.requestId = textOf(body.request_id);
    this.errors = Array.isArray(body.errors) ? (body.errors as FieldMistake[]) : [];
    this.body = body;
  }
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** No answer came. Status 0 stands for "no status". */
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
