import { type Endpoint, type Grant, notTheSystem, SignInFailed, textIn } from "../../sign-in.ts";
import type { Answer } from "../../work.ts";

/** What a refusal of the token endpoint means. Every lost grant is `invalid_grant`: only its sentence tells why. */
export function refusedToken(answer: Answer, endpoint: Endpoint, grant?: Grant): SignInFailed {
  const error = textIn(answer.body, "error");
  if (error === undefined || answer.status >= 500 || answer.status === 429) {
    return notTheSystem(answer, endpoint, "The token endpoint");
  }
  const said = textIn(answer.body, "error_description") ?? error;
  // An assertion that is too old or too new indicates a wrong clock, not a wrong grant.
  if (error === "invalid_grant" && /\biat\b/.test(said)) {
    return new SignInFailed("invalid_credentials", `The system refuses the time of the request: ${said}`, {
      remedy: "Set the clock of the machine that Signalbox runs on.",
    });
  }
  if (error === "invalid_grant" && grant?.kind === "service account") return refusedKey(said, grant);
  if (error === "invalid_grant") {
    const again = textIn(answer.body, "error_subtype") === "invalid_rapt" ? " Its owner must sign in anew." : "";
    return new SignInFailed(
      "invalid_credentials",
      `The grant is not valid any longer: ${said}${again}${endOf(grant)}`,
      {
        isGrantLost: true,
        remedy:
          "Connect the account again; the grant was withdrawn, expired, or never valid. If it ends every seven days, the consent screen of the OAuth client is in testing: publish it first (docs/connect/google-analytics.md).",
      },
    );
  }
  return new SignInFailed("invalid_credentials", `The system refuses the sign-in: ${said} (${error}).`, {
    remedy: "Check client id and client secret, or the service account's key.",
  });
}

/** The vendor says at the sign-in how long the grant lasts, if it ends by itself. */
function endOf(grant: Grant | undefined): string {
  if (grant?.kind !== "refresh token" || grant.endsAt === undefined) return "";
  return ` It was given until ${grant.endsAt}: a sign-in of an OAuth client whose consent screen is in testing ends after seven days.`;
}

type ServiceAccount = Extract<Grant, { kind: "service account" }>;

function refusedKey(said: string, { email, keyId }: ServiceAccount): SignInFailed {
  const lost = (detail: string, remedy: string) =>
    new SignInFailed("invalid_credentials", `${detail} The system says: ${said}`, { isGrantLost: true, remedy });
  const where = "in the cloud console, under IAM & Admin, Service Accounts";
  if (/signature/i.test(said)) {
    return lost(
      `The key ${keyId ?? "in the file"} is not a valid key of ${email}: it was disabled, deleted or replaced, or it belongs to another account.`,
      `Look at the account's keys ${where}: enable the key, or create a new one and connect with its file.`,
    );
  }
  if (/not found/i.test(said)) {
    return lost(
      `There is no service account ${email}.`,
      `It was deleted, or the key file was changed by hand. Create one ${where}, and connect with the file of its key.`,
    );
  }
  if (/disabled/i.test(said)) {
    return lost(`The service account ${email} is disabled.`, `Enable it ${where}, then connect again.`);
  }
  return lost(
    `The key of ${email} is refused.`,
    `Create a new key for the account ${where}, and connect with its file.`,
  );
}
