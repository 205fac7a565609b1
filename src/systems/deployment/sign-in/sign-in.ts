import { type Endpoint, type Obtained, type SignIn, SignInFailed, type SignInWork, type Who } from "../../sign-in.ts";
import { deploymentConsent } from "./consent.ts";
import { deploymentCredentials } from "./credentials.ts";
import { identifyInstallation, identifyToken } from "./identify.ts";
import { isRefusedToken } from "./read-if-allowed.ts";

const mainOf = (endpoint: Endpoint): string => endpoint.addresses.main ?? "";

/** A token of a person, or of an installed integration. Neither has a known expiry, and none can be refreshed. */
export const deploymentSignIn: SignIn = {
  apis: ["main"],
  live: { main: "https://api.vercel.com" },
  credentials: deploymentCredentials,
  consent: deploymentConsent,

  // biome-ignore lint/correctness/useYield: there is nothing to ask for, the grant is the token.
  *obtain(grant): SignInWork<Obtained> {
    if (grant.kind !== "access token") throw new Error("A deployment account has an access token.");
    return { token: grant.token, expiresInSeconds: null };
  },

  *identify(token, endpoint, { teamId, projectIds = [], obtained, known }): SignInWork<Who> {
    const bearer = { token, endpoint };
    const team = teamId ?? obtained.teamId;
    const { installationId } = obtained;
    if (installationId !== undefined) return yield* identifyInstallation(bearer, installationId, team, obtained);
    const projects = known?.projects?.map(({ project_id: id }) => id) ?? projectIds;
    const slug = known?.team_slug;
    return yield* identifyToken(bearer, { team: team ?? slug, slug, projects });
  },

  // "One configuration per scope": uninstalling it ends every token of that team.
  sharedGrant: (grant) => (grant.kind === "access token" ? (grant.installationId ?? null) : null),

  revoke(grant, token, endpoint, identity) {
    const installation = grant.kind === "access token" ? grant.installationId : undefined;
    if (installation === undefined || token === null) return null;
    return uninstall(token, endpoint, installation, identity.team_id);
  },
};

function* uninstall(
  token: string,
  endpoint: Endpoint,
  installationId: string,
  teamId: string | undefined,
): SignInWork<void> {
  const team = teamId ? `?teamId=${encodeURIComponent(teamId)}` : "";
  const target = `/v1/integrations/configuration/${encodeURIComponent(installationId)}${team}`;
  const answer = yield { origin: mainOf(endpoint), method: "DELETE", target, bearer: token };
  // An integration that was already uninstalled counts as revoked.
  const isGrantLost = answer.status === 404 || isRefusedToken(answer);
  if (answer.status >= 300 && !isGrantLost)
    throw new SignInFailed("unreachable", `It returned status ${answer.status}.`);
}
