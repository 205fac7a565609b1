import { drive, emptyAnswer } from "../systems/drive.ts";
import { type Endpoint, SignInFailed, type SignInRequest, type SignInWork, textIn } from "../systems/sign-in.ts";
import type { Answer } from "../systems/work.ts";
import { addressRefused, isAddressRefused } from "../transport/address-guard.ts";
import { isCertificateCode } from "../transport/describe-failure.ts";
import type { Outbound, OutboundRequest } from "../transport/outbound.ts";
import { redact } from "../transport/redact.ts";
import { failureWords, SendFailed } from "../transport/send-failed.ts";

/** A list of two hundred accounts with all their properties has less. */
const answerBytesMax = 4 * 1024 * 1024;

/** Limits each request of a sign-in, so that the whole sign-in ends before its lease expires. */
const answerMilliseconds = 10_000;

/**
 * Sends the requests of a sign-in one after the other and passes it the responses. Nothing is stored. A refusal keeps
 * the system's own message, which users see and we store, so every secret that was sent or received is removed from it.
 */
export async function runSignIn<T>(
  work: SignInWork<T>,
  endpoint: Endpoint,
  outbound: Outbound,
  waitMilliseconds = answerMilliseconds,
): Promise<T> {
  const secrets = new Set<string>();
  try {
    return await sendAll(work, (request) => sendOne(request, endpoint, outbound, waitMilliseconds), secrets);
  } catch (error) {
    throw error instanceof SignInFailed ? withoutSecrets(error, [...secrets]) : error;
  }
}

const messageCharactersMax = 1000;

function withoutSecrets(error: SignInFailed, secrets: readonly string[]): SignInFailed {
  const said = String(redact(error.message, secrets));
  if (said === error.message && said.length <= messageCharactersMax) return error;
  const { reason, isGrantLost, remedy } = error;
  return new SignInFailed(reason, said.slice(0, messageCharactersMax), {
    isGrantLost,
    ...(remedy === null ? {} : { remedy }),
  });
}

/** Fields that carry credentials in sign-in requests and responses. */
const secretFields = [
  "client_secret",
  "refresh_token",
  "access_token",
  "id_token",
  "token",
  "assertion",
  "code",
  "code_verifier",
];
/** A shorter value would also match ordinary words. */
const secretLengthMin = 8;

function secretsIn({ bearer, form, target }: SignInRequest, answer: unknown): string[] {
  const query = Object.fromEntries(new URLSearchParams(target.split("?")[1]));
  const named = [form, query, answer].flatMap((fields) => secretFields.map((name) => textIn(fields, name) ?? ""));
  return [bearer ?? "", ...named].filter((value) => value.length >= secretLengthMin);
}

type Send = (request: SignInRequest) => Promise<Answer | SignInFailed>;

function sendAll<T>(work: SignInWork<T>, send: Send, secrets: Set<string>): Promise<T> {
  return drive(work, async (request) => {
    if ("pauseSeconds" in request) {
      await new Promise((resolve) => setTimeout(resolve, request.pauseSeconds * 1000));
      return emptyAnswer;
    }
    const answer = await send(request);
    for (const secret of secretsIn(request, "body" in answer ? answer.body : null)) secrets.add(secret);
    return answer;
  });
}

async function sendOne(
  request: SignInRequest,
  endpoint: Endpoint,
  outbound: Outbound,
  waitMilliseconds: number,
): Promise<Answer | SignInFailed> {
  try {
    return await outbound.send(toOutbound(request, waitMilliseconds));
  } catch (error) {
    if (error instanceof SendFailed) return explain(error, request, endpoint);
    throw error;
  }
}

function toOutbound(request: SignInRequest, waitMilliseconds: number): OutboundRequest {
  const headers: Record<string, string> = { accept: "application/json" };
  if (request.bearer !== undefined) headers.authorization = `Bearer ${request.bearer}`;
  const sent = { origin: request.origin, method: request.method, target: request.target, headers };
  // A redirect would send a credential with a call that no limit counts. No system that we know redirects a sign-in.
  const time = {
    totalMilliseconds: waitMilliseconds,
    headersMilliseconds: waitMilliseconds,
    redirects: "refuse",
    bytesMax: answerBytesMax,
    // Users see what an account reports about itself, so its token is removed from the response.
    ...(request.bearer === undefined ? {} : { secret: request.bearer }),
  } as const;
  if (request.form !== undefined) {
    headers["content-type"] = "application/x-www-form-urlencoded";
    return { ...sent, ...time, body: new URLSearchParams(request.form).toString() };
  }
  if (request.json !== undefined) {
    headers["content-type"] = "application/json";
    return { ...sent, ...time, body: JSON.stringify(request.json) };
  }
  return { ...sent, ...time };
}

/** Behind a mistyped address there is usually nothing of this system. A known address is only unreachable for now. */
function explain(error: SendFailed, { origin }: SignInRequest, endpoint: Endpoint): SignInFailed {
  // A user who types an address must not learn from us which names exist in our network.
  const isHidden = endpoint.instance === "custom" && isAddressRefused(error);
  const detail = isHidden ? addressRefused("steps") : `${origin} ${wordsFor(error)}.`;
  const isDistrusted = endpoint.instance === "live" && isCertificateCode(String(codeOf(error)));
  if (isDistrusted) {
    const distrusted = `${origin} showed a certificate that this server does not trust.`;
    return new SignInFailed("unreachable", distrusted, { remedy: trustRemedy });
  }
  if (endpoint.isTyped && !isAway(error, endpoint)) return new SignInFailed("wrong_endpoint", detail);
  return new SignInFailed("unreachable", detail, endpoint.instance === "custom" ? { remedy: awayRemedy } : {});
}

const awayRemedy =
  "Check the host and the port for typing errors. If they are right, the system or the network is unavailable: try again later. The credentials are not the cause.";

const trustRemedy =
  "If a proxy of your network opens TLS connections, the operator starts Signalbox with `NODE_EXTRA_CA_CERTS`, the file with the proxy's certificate authority. Otherwise check the address.";

/**
 * "One that is mistyped is told from one that is away": nobody has an instance of an unknown name. If the name is known
 * and nothing answers, the system is away. An address of another kind that speaks no TLS, or shows a certificate of
 * another name, is a wrong one.
 */
function isAway(error: SendFailed, { instance }: Endpoint): boolean {
  if (error.reason === "timed out" || error.reason === "cut off") return true;
  if (error.reason !== "unreachable" || codeOf(error) === "ENOTFOUND") return false;
  return instance === "live" || noConnection.has(String(codeOf(error)));
}

/** Codes of a connection that did not open. */
const noConnection = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ETIMEDOUT",
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_SOCKET",
]);

function wordsFor(error: SendFailed): string {
  const code = codeOf(error);
  if (code === "ENOTFOUND") return "does not exist: nobody knows the name";
  return code === "ECONNREFUSED" ? "accepts no connection" : failureWords[error.reason];
}

const codeOf = ({ cause }: SendFailed): unknown => (cause instanceof Error && "code" in cause ? cause.code : null);
