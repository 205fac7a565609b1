import { verify } from "node:crypto";
import { isPersonKey, isService, type PersonKey, people } from "./people.ts";
import { disabledKeyId, serviceAccountPublicKey } from "./service-account.ts";

/** What a service account has signed, and who it is; or why it is not believed. */
export type ServiceJwt =
  | { person: PersonKey; claims: Record<string, unknown> }
  | { refusal: "unreadable" | "unknown account" | "disabled account" | "signature" };

export function readServiceJwt(jwt: string): ServiceJwt {
  const [header = "", payload = "", signature = ""] = jwt.split(".");
  const [head, claims] = [parse(header), parse(payload)];
  if (!head || !claims) return { refusal: "unreadable" };
  const person = Object.keys(people)
    .filter(isPersonKey)
    .find((key) => isService(key) && people[key].email === claims.iss);
  if (!person) return { refusal: "unknown account" };
  if (person === "service_disabled") return { refusal: "disabled account" };
  const signed = Buffer.from(`${header}.${payload}`);
  const isSigned = verify("RSA-SHA256", signed, serviceAccountPublicKey(), Buffer.from(signature, "base64url"));
  if (head.alg !== "RS256" || head.kid === disabledKeyId || !isSigned) return { refusal: "signature" };
  return { person, claims };
}

const lifeSecondsMax = 3600;
// Clocks differ a little.
const skewSeconds = 300;

export function isTimely({ iat, exp }: Record<string, unknown>, nowMilliseconds: number): boolean {
  const now = nowMilliseconds / 1000;
  return (
    typeof iat === "number" &&
    typeof exp === "number" &&
    exp - iat <= lifeSecondsMax &&
    iat <= now + skewSeconds &&
    exp >= now - skewSeconds
  );
}

function parse(part: string): Record<string, unknown> | null {
  try {
    return Object(JSON.parse(Buffer.from(part, "base64url").toString()));
  } catch {
    return null;
  }
}
