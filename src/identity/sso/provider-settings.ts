import { X509Certificate } from "node:crypto";
import { refuseLookAlikes } from "../../kernel/look-alike-characters.ts";
import { type FieldError, Problem } from "../../kernel/problem.ts";
import { privateHostSettings, refuseOrigin } from "../../transport/address-guard.ts";

/** The settings of a provider, without its secret. */
export type ProviderSettings = OidcSettings | SamlSettings;

export interface OidcSettings {
  kind: "oidc";
  issuer: string;
  clientId: string;
  scopes: string[];
}

export interface SamlSettings {
  kind: "saml";
  /** The entity id of the provider. */
  entityId: string;
  /** The address of the sign-in page, for the HTTP-Redirect binding. */
  entryPoint: string;
  /** PEM; any of them may have signed. */
  certificates: string[];
}

/** Settings as an owner typed them. */
export interface SettingsWish {
  kind: "oidc" | "saml";
  issuer?: string | undefined;
  clientId?: string | undefined;
  scopes?: string[] | undefined;
  entityId?: string | undefined;
  entryPoint?: string | undefined;
  certificates?: string[] | undefined;
}

const standardScopes = ["openid", "email", "profile"];
const rsaBitsMin = 2048;
/** A longer key takes too long to verify, and no provider uses one. */
const rsaBitsMax = 8192;

export function readSettings(wish: SettingsWish, privateOrigins: readonly string[]): ProviderSettings {
  return wish.kind === "oidc" ? readOidc(wish, privateOrigins) : readSaml(wish, privateOrigins);
}

function readOidc(wish: SettingsWish, privateOrigins: readonly string[]): OidcSettings {
  const issuer = required(wish.issuer, "issuer").replace(/\/\.well-known\/openid-configuration$/, "");
  refuse("issuer", refuseAddress(issuer, privateOrigins) ?? refuseSharedTenant(issuer));
  const scopes = wish.scopes ?? standardScopes;
  if (!scopes.includes("openid"))
    refuse("scopes", "Without the scope `openid` the provider says nothing about who it is.");
  return { kind: "oidc", issuer, clientId: required(wish.clientId, "client_id"), scopes: [...new Set(scopes)] };
}

function readSaml(wish: SettingsWish, privateOrigins: readonly string[]): SamlSettings {
  const entryPoint = required(wish.entryPoint, "entry_point");
  refuse("entry_point", refuseAddress(entryPoint, privateOrigins, "query allowed"));
  const certificates = (wish.certificates ?? []).map(readCertificate);
  if (certificates.length === 0) refuse("certificates", "Give the certificate that the provider signs with.");
  return { kind: "saml", entityId: required(wish.entityId, "entity_id"), entryPoint, certificates };
}

/** An address must be https, or one that the operator allows in a private network. */
export function refuseAddress(text: string, privateOrigins: readonly string[], query?: "query allowed"): string | null {
  const alike = refuseLookAlikes(text);
  if (alike !== null) return alike;
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol)) return "This is not an https address.";
  if (url.username || url.password) return "An address holds no user name and no password.";
  if (url.hash || (url.search && !query)) return "The address ends before its question mark or number sign.";
  const isAllowed = privateOrigins.some((each) => URL.parse(each)?.origin === url.origin);
  const refused = isAllowed ? null : refuseOrigin(url.origin);
  return (
    refused && `${refused} An operator can allow an address in a private network with ${privateHostSettings.identity}.`
  );
}

/** Any tenant in the world can sign in at these addresses, so their claims prove nothing. */
function refuseSharedTenant(issuer: string): string | null {
  const { hostname, pathname } = new URL(issuer);
  const isShared =
    hostname === "login.microsoftonline.com" && /^\/(?:common|organizations|consumers)(?:\/|$)/.test(pathname);
  return isShared || issuer.includes("{")
    ? "Name your own tenant in the address, not one that all tenants share."
    : null;
}

/** Reads PEM, or the bare base64 of SAML metadata. Returns PEM. */
export function readCertificate(text: string): string {
  const base64 = text.replace(/-----(?:BEGIN|END) CERTIFICATE-----/g, "").replace(/\s+/g, "");
  const pem = `-----BEGIN CERTIFICATE-----\n${base64.match(/.{1,64}/g)?.join("\n") ?? ""}\n-----END CERTIFICATE-----\n`;
  let certificate: X509Certificate;
  try {
    certificate = new X509Certificate(pem);
  } catch {
    throw invalid("certificates", "This is not an X.509 certificate.");
  }
  const key = certificate.publicKey;
  if (key.asymmetricKeyType !== "rsa") throw invalid("certificates", "The provider has to sign with an RSA key.");
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (bits < rsaBitsMin) {
    throw invalid("certificates", `The key of the certificate is shorter than ${rsaBitsMin} bits.`);
  }
  if (bits > rsaBitsMax) {
    throw invalid("certificates", `The key of the certificate is longer than ${rsaBitsMax} bits.`);
  }
  return pem;
}

function required(value: string | undefined, name: string): string {
  if (value === undefined || value === "") throw invalid(name, "This provider needs it.");
  return value;
}

function refuse(name: string, why: string | null): void {
  if (why !== null) throw invalid(name, why);
}

export function invalid(name: string, detail: string): Problem {
  const errors: FieldError[] = [{ pointer: `#/${name}`, code: "not_allowed", detail }];
  return new Problem("validation_failed", "The identity provider cannot be used like this.", { errors });
}
