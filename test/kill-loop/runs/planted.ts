import type { FirstRunRegion } from "../../../src/start/first-run/first-run.ts";
import type { Outside } from "./outside.ts";

/** A record that is there before its run, which changes or deletes it. Nobody else does. */
export type PlantedKind = "planted lead" | "planted variable" | "planted property";
export type Deed = "change" | "remove";
export type PlantedState = "as planted" | "changed" | "gone";

export const plantedKinds: readonly PlantedKind[] = ["planted lead", "planted variable", "planted property"];
export const deeds: readonly Deed[] = ["change", "remove"];

type Connections = NonNullable<FirstRunRegion["connections"]>;

interface Write {
  step: string;
  connection_id: string;
  input: object;
}

/** `id` and `mark` are values, or the templates of a tool. */
export const writeTo: Record<
  PlantedKind,
  (connections: Connections, project: string, deed: Deed, id: unknown, mark: string) => Write
> = {
  "planted lead": ({ marketing = "" }, _project, deed, id, mark) => ({
    step: "marketing_api_call",
    connection_id: marketing,
    input:
      deed === "change"
        ? {
            method: "POST",
            endpoint: "/rest/v1/leads.json",
            body: { action: "updateOnly", lookupField: "id", input: [{ id, firstName: mark }] },
          }
        : { method: "POST", endpoint: "/rest/v1/leads/delete.json", body: { input: [{ id }] } },
  }),
  "planted variable": ({ deployment = "" }, project, deed, id, mark) => ({
    step: "deployment_api_call",
    connection_id: deployment,
    input: {
      path: `/v9/projects/${project}/env/${id}`,
      ...(deed === "change" ? { method: "PATCH", body: { value: mark } } : { method: "DELETE" }),
    },
  }),
  "planted property": ({ analytics = "" }, _project, deed, id, mark) => ({
    step: "analytics_api_call",
    connection_id: analytics,
    input: {
      endpoint: `v1beta/properties/${id}`,
      ...(deed === "change"
        ? { method: "PATCH", query: { updateMask: "displayName" }, body: { displayName: mark } }
        : { method: "DELETE" }),
    },
  }),
};

/** Calls the sandboxes directly, past the proxy. */
export class Garden {
  readonly #outside: Outside;

  constructor(outside: Outside) {
    this.#outside = outside;
  }

  async plant(kind: PlantedKind, number: number): Promise<string | number> {
    const name = `planted-${number}`;
    if (kind === "planted lead") {
      const input = [{ email: `${name}@example.com`, firstName: name }];
      const { result } = await this.#outside.ask("marketing", "POST", "/rest/v1/leads.json", { input });
      return result[0].id;
    }
    if (kind === "planted property") {
      const body = { parent: "accounts/100", displayName: name, timeZone: "Asia/Tokyo", currencyCode: "JPY" };
      const made = await this.#outside.ask("analytics", "POST", "/v1beta/properties", body);
      return made.name.replace("properties/", "");
    }
    const body = { key: `PLANTED_${number}`, value: name, type: "plain", target: ["preview"] };
    const made = await this.#outside.ask("deployment", "POST", this.#variables("v10"), body);
    return made.created.id;
  }

  async stateOf(kind: PlantedKind, id: string | number, mark: string): Promise<PlantedState> {
    const value = await this.#valueOf(kind, id);
    if (value === null) return "gone";
    return value === mark ? "changed" : "as planted";
  }

  async #valueOf(kind: PlantedKind, id: string | number): Promise<string | null> {
    if (kind === "planted lead") {
      const path = `/rest/v1/leads.json?filterType=id&filterValues=${id}&fields=firstName`;
      const { result } = await this.#outside.ask("marketing", "GET", path);
      return result[0]?.firstName ?? null;
    }
    if (kind === "planted property") {
      const found = await this.#outside.ask("analytics", "GET", `/v1beta/properties/${id}`);
      return found.deleteTime === undefined ? found.displayName : null;
    }
    const { envs } = await this.#outside.ask("deployment", "GET", this.#variables("v9"));
    return envs.find((each: { id: string }) => each.id === id)?.value ?? null;
  }

  #variables(version: string): string {
    return `/${version}/projects/${this.#outside.projectId}/env`;
  }
}
