import type { SandboxAnswer } from "../../server/sandbox.ts";

const httpStatus = {
  INVALID_ARGUMENT: 400,
  FAILED_PRECONDITION: 400,
  UNAUTHENTICATED: 401,
  PERMISSION_DENIED: 403,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  RESOURCE_EXHAUSTED: 429,
  INTERNAL: 500,
  UNAVAILABLE: 503,
} as const;

export type ApiStatus = keyof typeof httpStatus;

/** A refusal in the vendor's envelope. The token endpoints speak RFC 6749 instead and do not use it. */
export class ApiError extends Error {
  readonly status: ApiStatus;
  readonly details: object[];
  readonly headers: Record<string, string>;

  constructor(status: ApiStatus, message: string, details: object[] = [], headers: Record<string, string> = {}) {
    super(message);
    this.status = status;
    this.details = details;
    this.headers = headers;
  }

  get code(): number {
    return httpStatus[this.status];
  }
}

export const jsonType = { "content-type": "application/json; charset=UTF-8" };

export function toAnswer(error: ApiError, identity: string | null): SandboxAnswer {
  const details = error.details.length > 0 ? { details: error.details } : {};
  return {
    status: error.code,
    headers: { ...jsonType, ...error.headers },
    body: { error: { code: error.code, message: error.message, status: error.status, ...details } },
    identity,
  };
}

export const invalid = (message: string): ApiError => new ApiError("INVALID_ARGUMENT", message);

export interface Violation {
  field?: string;
  description: string;
}

/** What is wrong with the shape of a body: one line of the message and one violation for each key. */
export function badRequest(violations: Violation[]): ApiError {
  return new ApiError("INVALID_ARGUMENT", violations.map((each) => each.description).join("\n"), [
    { "@type": "type.googleapis.com/google.rpc.BadRequest", fieldViolations: violations },
  ]);
}

export function errorInfo(reason: string, metadata: Record<string, string>): object {
  return { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "googleapis.com", metadata };
}
