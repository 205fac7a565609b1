import { X509Certificate } from "node:crypto";
import { Problem } from "../kernel/problem.ts";
import type { Oidc } from "./oidc.ts";
import { explainFailure } from "./oidc-rules.ts";
import type { Provider } from "./sso-providers.ts";
import type { SamlSettings } from "./sso-settings.ts";

/** One thing that was looked at. */
export interface Check {
  name: string;
  ok: boolean;
  detail: string;
}

/** Everything that can be found out about a provider without a person who signs in. */
export async function examineProvider(
  provider: Provider,
  secret: () => Promise<string | null>,
  oidc: Oidc,
  now: Date,
): Promise<Check[]> {
  const { settings } = provider;
  const enabled = { name: "enabled", ok: provider.enabled, detail: provider.enabled ? "Yes." : "It is switched off." };
  if (settings.kind === "saml") return [enabled, ...examineCertificates(settings, now)];
  return [enabled, ...(await examineOidc(provider, await secret(), oidc))];
}

async function examineOidc(provider: Provider, secret: string | null, oidc: Oidc): Promise<Check[]> {
  try {
    const metadata = await oidc.discover(provider, secret);
    const names = metadata.authorization_response_iss_parameter_supported === true;
    return [
      {
        name: "discovery",
        ok: true,
        detail: `The provider ${metadata.issuer} answers, and its addresses can be used.`,
      },
      { name: "issuer in answers", ok: true, detail: names ? "Named, and checked." : "Not named by this provider." },
      {
        name: "client secret",
        ok: true,
        detail:
          secret === null ? "None: the provider must know the client as a public one." : "Kept; tried at a sign-in.",
      },
    ];
  } catch (error) {
    const problem = explainFailure(error);
    const reason = problem.extras.more?.reason;
    const detail =
      typeof reason === "string" && reason !== problem.message ? `${problem.message} ${reason}` : problem.message;
    if (!(problem instanceof Problem)) throw error;
    return [{ name: "discovery", ok: false, detail }];
  }
}

function examineCertificates(settings: SamlSettings, now: Date): Check[] {
  return settings.certificates.map((pem, index) => {
    const certificate = new X509Certificate(pem);
    const isOver = Date.parse(certificate.validTo) <= now.getTime();
    const until = new Date(certificate.validTo).toISOString().slice(0, 10);
    return {
      name: `certificate ${index + 1}`,
      ok: !isOver,
      detail: isOver ? `It has expired on ${until}; the provider has a newer one.` : `Valid until ${until}.`,
    };
  });
}
