import { AddressBlocked } from "./address-guard.ts";
import type { SendFailure } from "./send-failed.ts";

/** How far a request came before its connection failed. */
export type Stage = "not sent" | "sent" | "answer begun";

/**
 * Explains a failed connection or a broken answer in a sentence for people. The code of the library stays in the cause,
 * for the log.
 */
export function describeFailure(error: Error & { code?: string }, stage: Stage): [SendFailure, string] {
  const code = error.code ?? error.name;
  if (error instanceof AddressBlocked) return ["blocked", error.message];
  if (code === "UND_ERR_INVALID_ARG") return ["blocked", `The request cannot be sent: ${error.message}.`];
  if (stage === "not sent") return ["unreachable", `The system cannot be reached${whyUnreachable(code)}.`];
  if (code === "UND_ERR_HEADERS_TIMEOUT") return ["timed out", "The system took too long to begin its response."];
  if (code === "UND_ERR_BODY_TIMEOUT") return ["timed out", "The system stopped in the middle of its response."];
  if (code === "UND_ERR_HEADERS_OVERFLOW") return ["too large", "The headers of the response are too large."];
  // The parser also reports an answer that ends too early, which is a broken connection.
  if (error.name === "HTTPParserError" && !error.message.includes("EOF"))
    return ["unreadable", "The response is not valid HTTP."];
  return ["cut off", `The connection closed before the response ${stage === "sent" ? "arrived" : "was complete"}.`];
}

/** Whether the certificate of the other side was refused, for the code of an error. */
export const isCertificateCode = (code: string): boolean => certificateCode.test(code);

const certificateCode = /^(?:ERR_TLS_CERT|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY))/;

// Names that do not exist get no words of their own: nobody may learn from us which names a private network has.
function whyUnreachable(code: string): string {
  if (code === "ECONNREFUSED") return ": it accepts no connection";
  if (code === "UND_ERR_CONNECT_TIMEOUT" || code === "ETIMEDOUT") return ": no connection opened in time";
  if (code === "ECONNRESET" || code === "EPIPE" || code === "UND_ERR_SOCKET") return ": it closed the connection";
  if (isCertificateCode(code)) return ": its certificate is not valid";
  return code.startsWith("ERR_SSL") || code === "EPROTO" ? ": it does not speak TLS at this address" : "";
}
