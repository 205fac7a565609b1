export type SendFailure =
  | "blocked"
  | "unreachable"
  | "cut off"
  | "timed out"
  | "too large"
  | "redirected"
  | "unreadable";

/** What became of a request, in a sentence after the name of the other side. */
export const failureWords: Readonly<Record<SendFailure, string>> = {
  blocked: "may not be called",
  unreachable: "cannot be reached",
  "cut off": "broke off the connection",
  "timed out": "did not respond in time",
  "too large": "sent a response that is far too large",
  redirected: "sends elsewhere",
  unreadable: "sent a response that cannot be read",
};

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
