export type SendFailure =
  | "blocked"
  | "unreachable"
  | "cut off"
  | "timed out"
  | "too large"
  | "redirected"
  | "unreadable";

/** Why there is no answer. What decides whether a write may be tried again is `sent`, not the reason. */
export class SendFailed extends Error {
  readonly reason: SendFailure;
  /**
   * "no": certainly nothing reached the system, because not a byte of the request was handed to a connection.
   * "maybe": it may have, however unlikely.
   */
  readonly sent: "no" | "maybe";

  constructor(reason: SendFailure, sent: "no" | "maybe", message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "SendFailed";
    this.reason = reason;
    this.sent = sent;
  }
}

/** When the connection was there, whoever sends it did not want it sent any more. */
export class TooLate extends SendFailed {
  constructor() {
    super("timed out", "no", "When the connection was there it was too late, and nothing was sent.");
    this.name = "TooLate";
  }
}
