/** RFC 6749 refusals: a plain object, not the envelope of the APIs. */
export class TokenError extends Error {
  readonly status: number;
  readonly error: string;

  constructor(status: number, error: string, description: string) {
    super(description);
    this.status = status;
    this.error = error;
  }
}
