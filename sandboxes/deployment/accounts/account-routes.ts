import type { Route } from "../http/api-request.ts";
import { readCurrentUser } from "./current-user.ts";
import {
  addDomain,
  listDomains,
  readDomain,
  readDomainConfig,
  readPrice,
  removeDomain,
  updateDomain,
} from "./domains.ts";
import { listMembers, listTeams, readTeam } from "./teams.ts";

const domain = { method: "GET", resource: "domain", bucket: "domains_read_per_minute" } as const;
const team = { method: "GET", resource: "team", action: "read", isUnscoped: true } as const;

export const accountRoutes: Route[] = [
  { ...domain, path: "/domains", action: "list", handle: listDomains },
  { ...domain, path: "/domains/{domain}", action: "read", handle: readDomain },
  { ...domain, path: "/domains/{domain}/config", action: "read", handle: readDomainConfig },
  { ...domain, path: "/registrar/domains/{domain}/price", action: "read", handle: readPrice },
  { ...domain, method: "POST", path: "/domains", action: "create", handle: addDomain },
  { ...domain, method: "PATCH", path: "/domains/{domain}", action: "update", handle: updateDomain },
  { ...domain, method: "DELETE", path: "/domains/{domain}", action: "delete", handle: removeDomain },
  { ...team, path: "/teams", bucket: "team_read_per_minute", handle: listTeams },
  { ...team, path: "/teams/{teamId}", bucket: "team_read_per_minute", handle: readTeam },
  { ...team, path: "/teams/{teamId}/members", bucket: "members_read_per_minute", handle: listMembers },
  {
    method: "GET",
    path: "/user",
    resource: "user",
    action: "read",
    bucket: "user_read_per_minute",
    isUnscoped: true,
    handle: readCurrentUser,
  },
];
