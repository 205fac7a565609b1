/**
 * The `operationId` of an operation: what generated clients call it. A verb and a noun, made of the path: `steps/{step_id}/run` is
 * `runStep`, `webhooks/{webhook_id}/rotate_secret` is `rotateWebhookSecret`. Programs depend on it, so it never changes.
 */
export function operationIdOf(path: string): string {
  const inside = path.replace(/^\/latest\/(auth\/)?/, "");
  const words = inside.split("/").filter((word) => !word.startsWith("{"));
  return irregular[inside] ?? irregular[words.join("/")] ?? regular(words.slice(0, -1), words.at(-1) ?? "");
}

function regular(owners: string[], last: string): string {
  const nouns = owners.map((owner) => (owner === "single_sign_on" ? "identity_providers" : owner)).map(singular);
  const [verb = "", ...object] = last.split("_");
  if (parts[last] !== undefined) return camel([parts[last], ...nouns, last]);
  if (manyVerbs.has(last)) return camel([verb, ...nouns.slice(0, -1), plural(nouns.at(-1) ?? "")]);
  return camel([verb, ...nouns, ...object]);
}

const manyVerbs = new Set(["list", "search"]);

/** A last word that is a part of the record, and its verb. */
const parts: Readonly<Record<string, string>> = {
  deliveries: "list",
  failures: "list",
  options: "list",
  requests: "list",
  versions: "list",
  history: "get",
  impact: "get",
  output: "get",
  webhook: "get",
  roles: "set",
};

const irregular: Readonly<Record<string, string>> = {
  "agents/models": "listModels",
  "agents/test_event": "sendTestEvent",
  "assistants/tools": "listAssistantTools",
  "audit/export": "exportAuditLog",
  "audit/list": "listAuditLog",
  "audit/verify": "verifyAuditLog",
  "codes/begin": "beginCodeSetup",
  "codes/confirm": "confirmCodeSetup",
  "codes/remove": "removeCodes",
  "confirm/passkey": "confirmWithPasskey",
  "confirm/password": "confirmWithPassword",
  "connections/connect": "connectAccount",
  "connections/status": "getConnectStatus",
  info: "getCurrentUser",
  "passkeys/begin": "beginPasskeySetup",
  "passkeys/finish": "finishPasskeySetup",
  "password/forgot": "requestPasswordReset",
  "projects/delete": "deleteCurrentProject",
  "projects/{project_id}/delete": "deleteProject",
  "service_users/add": "addServiceUserToProject",
  "sign_in/code": "signInWithCode",
  "sign_in/methods": "listSignInMethods",
  "sign_in/passkey/begin": "beginPasskeySignIn",
  "sign_in/passkey/finish": "finishPasskeySignIn",
  "sign_in/password": "signInWithPassword",
  sign_out: "signOut",
  "sign_up/look": "getSignUp",
  "single_sign_on/identities/delete": "deleteIdentity",
  "single_sign_on/identities/list": "listIdentities",
  "webhooks/replay": "replayWebhookDeliveries",
};

const singular = (word: string): string =>
  word
    .replace(/ies$/, "y")
    .replace(/xes$/, "x")
    .replace(/([^s])s$/, "$1");
const plural = (word: string): string => `${word.replace(/([^e])y$/, "$1ie").replace(/x$/, "xe")}s`;

const camel = (words: string[]): string =>
  words
    .join("_")
    .split("_")
    .map((word, index) => (index === 0 ? word : `${word.charAt(0).toUpperCase()}${word.slice(1)}`))
    .join("");
