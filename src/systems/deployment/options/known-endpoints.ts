import type { OptionSource } from "../../define.ts";
import type { Method } from "../../work.ts";

/** "v2 teams, v5 domains, v6 deployment list, v9 and v10 projects, v12 cancel, v13 deployment get, create and delete" */
export const knownEndpoints: readonly { method: Method; path: string; label: string }[] = [
  { method: "GET", path: "/v6/deployments", label: "List deployments" },
  { method: "GET", path: "/v13/deployments/{id}", label: "Read a deployment" },
  { method: "POST", path: "/v13/deployments", label: "Create a deployment" },
  { method: "PATCH", path: "/v12/deployments/{id}/cancel", label: "Cancel a deployment" },
  { method: "DELETE", path: "/v13/deployments/{id}", label: "Delete a deployment" },
  { method: "GET", path: "/v9/projects", label: "List projects" },
  { method: "GET", path: "/v9/projects/{id}", label: "Read a project" },
  { method: "POST", path: "/v10/projects", label: "Create a project" },
  { method: "PATCH", path: "/v9/projects/{id}", label: "Change a project" },
  { method: "DELETE", path: "/v9/projects/{id}", label: "Delete a project" },
  { method: "GET", path: "/v5/domains", label: "List domains" },
  { method: "GET", path: "/v5/domains/{domain}", label: "Read a domain" },
  { method: "POST", path: "/v10/projects/{id}/domains", label: "Add a domain to a project" },
  { method: "DELETE", path: "/v9/projects/{id}/domains/{domain}", label: "Remove a domain from a project" },
  { method: "GET", path: "/v9/projects/{id}/env", label: "List variables" },
  { method: "POST", path: "/v10/projects/{id}/env", label: "Create variables" },
  { method: "PATCH", path: "/v9/projects/{id}/env/{env_id}", label: "Change a variable" },
  { method: "DELETE", path: "/v9/projects/{id}/env/{env_id}", label: "Delete a variable" },
  { method: "GET", path: "/v2/teams", label: "List teams" },
  { method: "GET", path: "/v2/teams/{id}", label: "Read a team" },
  { method: "GET", path: "/v2/teams/{id}/members", label: "List members of a team" },
  { method: "GET", path: "/v3/deployments/{id}/events", label: "Build log of a deployment" },
];

export const pathOptions: OptionSource = {
  *work({ query, input }) {
    const words = query.toLowerCase().split(/\s+/);
    const offered = knownEndpoints.filter(
      ({ method, path, label }) =>
        (typeof input.method !== "string" || input.method === method) &&
        words.every((word) => `${method} ${path} ${label}`.toLowerCase().includes(word)),
    );
    const options = offered.map(({ method, path, label }) => ({ value: path, label, hint: `${method} ${path}` }));
    return { options, next: null };
  },
};
