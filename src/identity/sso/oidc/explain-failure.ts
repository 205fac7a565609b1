import { Problem } from "../../../kernel/problem.ts";
import { addressRefused, isAddressRefused } from "../../../transport/address-guard.ts";
import { failureWords, type SendFailed } from "../../../transport/send-failed.ts";
import { sendFailureIn } from "./provider-fetch.ts";

/** Turns a failure into a Problem for the person. The library's reason, a fixed sentence, goes to the audit log. */
export function explainFailure(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const failure = sendFailureIn(error);
  if (failure) return explainTransportFailure(failure, error);
  if (!(error instanceof Error)) return new Problem("sso_answer_refused", undefined, { cause: error });
  const reason = reasonOf(error);
  const word = "error" in error && /^[a-z_]{1,40}$/.test(String(error.error)) ? String(error.error) : null;
  if (error.name === "AuthorizationResponseError") {
    return new Problem("sso_declined", undefined, { more: { reason: word ?? "error" } });
  }
  if (error.name === "ResponseBodyError") {
    const detail = `The identity provider refused to say who you are${word ? ` (${word})` : ""}.`;
    return new Problem("sso_answer_refused", detail, { more: { reason: word ?? reason } });
  }
  const code = "code" in error ? String(error.code) : "";
  if (/^OAUTH_(?:RESPONSE_IS_NOT|PARSE|TIMEOUT|ABORT|HTTP|REQUEST_PROTOCOL|MISSING_SERVER|INVALID_SERVER)/.test(code)) {
    return new Problem("provider_unreachable", undefined, { more: { reason } });
  }
  if (error.message.includes("metadata issuer")) {
    return new Problem("provider_unreachable", "The server at this address is another issuer.", { more: { reason } });
  }
  return new Problem("sso_answer_refused", undefined, { more: { reason } });
}

/** Reveals neither the address of a host nor whether it exists: these details stay in `cause`, for the log. */
function explainTransportFailure(failure: SendFailed, cause: unknown): Problem {
  if (isAddressRefused(failure)) {
    return new Problem(
      "provider_unreachable",
      `The identity provider cannot be reached. ${addressRefused("identity")}`,
      {
        cause,
      },
    );
  }
  const detail = `The identity provider ${failureWords[failure.reason]}.`;
  return new Problem("provider_unreachable", detail, { more: { reason: failure.message }, cause });
}

// The library's messages are fixed texts: they name claims and headers, never their values.
function reasonOf(error: Error): string {
  const { cause } = error;
  return (cause instanceof Error && cause.message !== "" ? cause.message : error.message).slice(0, 200);
}
