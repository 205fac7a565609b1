import { generateKeyPairSync, randomBytes } from "node:crypto";
import type Provider from "oidc-provider";
import type { Clock } from "../../server/clock.ts";
import type { User } from "../records.ts";
import { createGrantStore } from "./grant-store.ts";

export interface SignInClient {
  clientId: string;
  clientSecret: string;
  redirectUri: string;
}

export interface SignInSettings {
  issuer: string;
  clock: Clock;
  client: SignInClient;
  findUser(id: string): User | null;
  isAllowedRedirect(uri: string): boolean;
}

/** The vendor's OpenID server, played by a real library. Loaded when first asked for: most tests never sign in. */
export async function createProvider(settings: SignInSettings): Promise<Provider> {
  const { default: OidcProvider } = await import("oidc-provider");
  const { client, findUser } = settings;
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const provider = new OidcProvider(settings.issuer, {
    adapter: createGrantStore(settings.clock),
    clients: [
      {
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uris: [client.redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
        token_endpoint_auth_method: "client_secret_post",
      },
    ],
    jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), use: "sig", alg: "RS256", kid: "sandbox" }] },
    cookies: { keys: [randomBytes(24).toString("hex")] },
    scopes: ["openid", "email", "profile", "offline_access"],
    claims: { openid: ["sub"], email: ["email", "email_verified"], profile: ["name", "preferred_username"] },
    conformIdTokenClaims: false,
    pkce: { required: () => true },
    ttl: { AccessToken: 3600, IdToken: 3600, RefreshToken: 30 * 86_400, AuthorizationCode: 600, Interaction: 3600 },
    rotateRefreshToken: true,
    routes: {
      authorization: "/oauth/authorize",
      token: "/login/oauth/token",
      revocation: "/login/oauth/token/revoke",
      introspection: "/login/oauth/token/introspect",
      userinfo: "/login/oauth/userinfo",
      jwks: "/.well-known/jwks",
    },
    features: {
      devInteractions: { enabled: false },
      revocation: { enabled: true },
      introspection: { enabled: true },
      rpInitiatedLogout: { enabled: false },
    },
    interactions: { url: (_context, interaction) => `/login/oauth/consent/${interaction.uid}` },
    findAccount: (_context, id) => {
      const user = findUser(id);
      if (!user) return undefined;
      const claims = { email: user.email, email_verified: true, name: user.name, preferred_username: user.username };
      return { accountId: id, claims: () => ({ sub: id, ...claims }) };
    },
  });
  // A developer's callback listens on some port of this machine; no registration names it.
  provider.Client.prototype.redirectUriAllowed = (uri: string) => settings.isAllowedRedirect(uri);
  return provider;
}
