export type SendFailure =
  | "blocked"
  | "unreachable"
  | "cut off"
  | "timed out"
  | "too large"
  | "redirected"
  | "unreadable";

/** Why there is no answer. Whether a write may be retried depends on `sent`, not on the reason. */
export class SendFailed extends Error {
  readonly reason: SendFailure;
  /**
   * "no": certainly nothing reached the system, because not a byte of the request was passed to a connection. "maybe":
   * it may have, however unlikely.
   */
  readonly sent: "no" | "maybe";

  constructor(reason: SendFailure, sent: "no" | "maybe", message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SendFailed";
    this.reason = reason;
    this.sent = sent;
  }
}

/** `mayBegin` returned false when the connection was open. */
export class TooLate extends SendFailed {
  constructor() {
    super("timed out", "no", "The connection opened too late, and nothing was sent.");
    this.name = "TooLate";
  }
}
