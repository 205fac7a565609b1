import { readEmail } from "../../../access/email.ts";
import { Problem } from "../../../kernel/problem.ts";
import { nameIn, type Proof } from "../proof.ts";

const claimCharactersMax = 255;
const no: unknown[] = [false, "false", 0, "0"];
const yes: unknown[] = [true, "true"];

/** What the ID token, and the userinfo if it was fetched, say about a person. */
export function proofOf(claims: Readonly<Record<string, unknown>>): Proof {
  const text = (name: string): string | null => {
    const value = Object.hasOwn(claims, name) ? claims[name] : undefined;
    return typeof value === "string" && value !== "" && value.length <= claimCharactersMax ? value : null;
  };
  const subject = text("sub");
  if (subject === null) throw new Problem("sso_answer_refused", "The identity provider gave no usable subject.");
  const email = readEmail(text("email") ?? "");
  // In `xms_edov` Entra ID says whether the tenant owns the domain of the address.
  const isUnchecked = no.includes(claims.email_verified) || no.includes(claims.xms_edov);
  // Only a verified address may identify a person in the directory. `preferred_username` and `upn` may not: they "MUST
  // NOT be relied upon to be unique" (OpenID Connect Core 5.7), and people can choose them freely.
  const addressAsName = yes.includes(claims.email_verified) ? text("email") : null;
  const authTime = claims.auth_time;
  return {
    subject,
    email,
    emailChecked: !isUnchecked,
    name: nameIn(text("name")),
    externalIds: [subject, text("oid")].filter((each) => each !== null),
    userNames: addressAsName === null ? [] : [addressAsName.toLowerCase()],
    authenticatedAt: typeof authTime === "number" && authTime < 1e11 ? new Date(authTime * 1000).toISOString() : null,
  };
}
