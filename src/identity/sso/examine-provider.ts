import { X509Certificate } from "node:crypto";
import { explainFailure } from "./oidc/explain-failure.ts";
import type { Oidc } from "./oidc/oidc.ts";
import type { SamlSettings } from "./provider-settings.ts";
import type { Provider } from "./providers.ts";

export interface Check {
  name: string;
  ok: boolean;
  detail: string;
}

/** Runs all checks of a provider that need no person to sign in. */
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
    const namesIssuer = metadata.authorization_response_iss_parameter_supported === true;
    const good = (name: string, detail: string): Check => ({ name, ok: true, detail });
    return [
      good("discovery", `The provider ${metadata.issuer} responds, and its addresses can be used.`),
      good("issuer in answers", namesIssuer ? "Named, and checked." : "Not named by this provider."),
      good(
        "client secret",
        secret === null ? "None: the provider must know the client as a public one." : "Kept; tried at a sign-in.",
      ),
    ];
  } catch (error) {
    const problem = explainFailure(error);
    const reason = problem.extras.more?.reason;
    const detail =
      typeof reason === "string" && reason !== problem.message ? `${problem.message} ${reason}` : problem.message;
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
