import type { Token, Tokens } from "./accounts/tokens.ts";
import type { Registration } from "./integration/installations.ts";
import type { SeededIds } from "./seed.ts";

/** Known values, the same in every sandbox: they open nothing but this one. */
const tokenValues = {
  token: "sandboxOwnerToken0000001",
  developer_token: "sandboxDeveloperToken001",
  viewer_token: "sandboxViewerToken000001",
  team_token: "sandboxTeamOnlyToken0001",
  project_token: "sandboxProjectToken00001",
  projects_token: "sandboxProjectsToken0001",
  outsider_token: "sandboxOutsiderToken0001",
  expired_token: "sandboxExpiredToken00001",
};

export function listCredentials(tokens: Tokens, ids: SeededIds): void {
  const keep = (value: string, userId: string, onlyOwnerId: string | null = null, more: Partial<Token> = {}) =>
    tokens.keep({
      value,
      name: Object.entries(tokenValues).find(([, each]) => each === value)?.[0] ?? "token",
      userId,
      onlyOwnerId,
      installation: null,
      projects: null,
      issuedAt: 0,
      expiresAt: null,
      ...more,
    });
  keep(tokenValues.token, ids.userId);
  keep(tokenValues.developer_token, ids.developerId);
  keep(tokenValues.viewer_token, ids.viewerId);
  keep(tokenValues.team_token, ids.userId, ids.teamId);
  keep(tokenValues.outsider_token, ids.outsiderId);
  keep(tokenValues.project_token, ids.userId, ids.teamId, { projects: [ids.projectId] });
  keep(tokenValues.projects_token, ids.userId, ids.teamId, { projects: [ids.projectId, ids.secondProjectId] });
  keep(tokenValues.expired_token, ids.userId, null, { expiresAt: 1 });
}

export const registration = (): Registration => ({
  id: "oac_sandboxSignalbox000001",
  slug: "signalbox",
  name: "Signalbox",
  clientId: "oac_sandboxSignalbox000001",
  clientSecret: "sandboxIntegrationSecret0000000001",
  redirectUri: "http://127.0.0.1:4100/oauth/callback",
  scopes: [
    "read-write:deployment",
    "read-write:project",
    "read-write:global-project-env-vars",
    "read-write:domain",
    "read-write:integration-configuration",
    // No user scope: "create and manage deployments, list projects and domains, read deployment logs" is enough.
    "read:team",
  ],
  webhookUrl: null,
  webhookEvents: [
    "deployment.created",
    "deployment.succeeded",
    "deployment.error",
    "deployment.canceled",
    // How an integration learns that its grant was taken away.
    "integration-configuration.removed",
  ],
});

export const signInClient = {
  clientId: "cl_sandboxSignalbox0000001",
  clientSecret: "sandboxSignInSecret00000000000001",
  redirectUri: "http://127.0.0.1:4100/oauth/callback",
};

/** What GET /_sandbox lists: credentials that work, each with another reach. */
export function credentials(
  ids: SeededIds,
  { clientId, clientSecret, slug, redirectUri }: Registration,
  baseUrl: string,
) {
  return {
    ...tokenValues,
    team_id: ids.teamId,
    team_slug: ids.teamSlug,
    oauth: {
      client_id: clientId,
      client_secret: clientSecret,
      slug,
      install_url: `${baseUrl}/integrations/${slug}/new`,
      token_url: `${baseUrl}/v2/oauth/access_token`,
      redirect_uri: redirectUri,
    },
    sign_in: {
      issuer: baseUrl,
      client_id: signInClient.clientId,
      client_secret: signInClient.clientSecret,
    },
  };
}
