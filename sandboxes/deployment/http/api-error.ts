/** A refusal in the vendor's own words: `{ "error": { code, message, ...extra } }`, with keys beside `error` in `beside`. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly extra: object;
  readonly beside: object;
  readonly headers: Record<string, string>;

  constructor(
    status: number,
    code: string,
    message: string,
    more: { extra?: object; beside?: object; headers?: Record<string, string> } = {},
  ) {
    super(message);
    this.status = status;
    this.code = code;
    this.extra = more.extra ?? {};
    this.beside = more.beside ?? {};
    this.headers = more.headers ?? {};
  }

  body(): object {
    return { error: { code: this.code, message: this.message, ...this.extra }, ...this.beside };
  }
}

export const badRequest = (message: string, extra: object = {}) => new ApiError(400, "bad_request", message, { extra });
export const notFound = (what: string) => new ApiError(404, "not_found", `${what} not found.`);
export const conflict = (message: string, extra: object = {}) => new ApiError(409, "conflict", message, { extra });
export const forbidden = (message: string, extra: object = {}) => new ApiError(403, "forbidden", message, { extra });

const codeOfStatus: Record<number, string> = {
  400: "bad_request",
  401: "forbidden",
  402: "payment_required",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  410: "gone",
  422: "unprocessable_entity",
  426: "upgrade_required",
  428: "precondition_required",
  429: "rate_limited",
  500: "internal_server_error",
  503: "internal_server_error",
};

/** A project called `sandbox-503` answers 503, so that a failure can be seen without ordering a fault first. */
export function refuseByName(name: string, now: number): void {
  const status = Number(/^sandbox-([45]\d\d)$/.exec(name)?.[1]);
  const code = codeOfStatus[status];
  if (!code) return;
  const message = `The name "${name}" asks for this answer.`;
  if (status !== 429) throw new ApiError(status, code, message);
  const resetMs = now + 1000;
  throw new ApiError(429, code, message, {
    extra: { limit: { remaining: 0, reset: Math.ceil(resetMs / 1000), resetMs, total: 1 } },
    headers: { "retry-after": "1" },
  });
}
