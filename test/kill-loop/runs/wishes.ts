import type { FirstRunRegion } from "../../../src/start/first-run/first-run.ts";
import type { RecordKind } from "./outside.ts";

/** What a run is to make at a system. */
export interface Wish {
  /**
   * "single": a step without a tool around it. "timed": its write has a time-out of some seconds. "waited": the call waits for
   * the end, has no Idempotency-Key and is made once, so the run need not be stored before its write.
   */
  form: "tool" | "timed" | "single" | "waited";
  makes: RecordKind;
}

/** Unlike every other one's: stands in the record that the run makes, and tells the fault proxy of a time-out. */
export const markOf = ({ form }: Wish, number: number): string => `${form === "timed" ? "timed" : "mark"}-${number}`;

const timeOutSeconds = 3;
/** A look for a property reads all of its account, so there are not many of them. */
const propertiesMax = 1200;

/** Properties are few, for the same reason. */
export function drawWish(random: () => number, properties: number): Wish {
  const dice = random();
  const makes = dice < 0.5 ? "deployment" : dice < 0.85 ? "lead" : "property";
  const form = random() < 0.25 ? "timed" : "tool";
  return { form, makes: makes === "property" && properties >= propertiesMax ? "deployment" : makes };
}

type Connections = NonNullable<FirstRunRegion["connections"]>;

/** The step that writes, for a call without a tool. */
export function singleStep(connections: Connections, project: string, mark: string): { step: string; body: object } {
  const { step, ...body } = writing.deployment(connections, project, mark);
  return { step, body };
}

/** One tool for each record and form: a read, a write that must not happen twice, and a read of what it made. */
export function toolsFor(connections: Connections, project: string): { wish: Wish; tool: object }[] {
  const kinds: RecordKind[] = ["deployment", "lead", "property"];
  return kinds.flatMap((makes) =>
    (["tool", "timed"] as const).map((form) => {
      const create = { name: "create", ...writing[makes](connections, project, "{{params.mark}}") };
      const timed = form === "timed" ? { ...create, timeout: timeOutSeconds } : create;
      const tool = {
        title: `${makes} ${form}`,
        params_schema: { type: "object", properties: { mark: { type: "string" } }, required: ["mark"] },
        steps: [...(before[makes]?.(connections, project) ?? []), timed, ...(behind[makes]?.(connections) ?? [])],
      };
      return { wish: { makes, form }, tool };
    }),
  );
}

const writing: Record<
  RecordKind,
  (connections: Connections, project: string, mark: string) => { step: string; connection_id: string; input: object }
> = {
  deployment: ({ deployment = "" }, project, mark) => ({
    step: "create_deployment",
    connection_id: deployment,
    input: { project, metadata: { mark } },
  }),
  lead: ({ marketing = "" }, _project, mark) => ({
    step: "marketing_api_call",
    connection_id: marketing,
    input: {
      method: "POST",
      endpoint: "/rest/v1/leads.json",
      body: { action: "createOnly", lookupField: "email", input: [{ email: `${mark}@example.com` }] },
    },
  }),
  property: ({ analytics = "" }, _project, mark) => ({
    step: "create_properties",
    connection_id: analytics,
    input: { account_id: "100", display_name: mark, time_zone: "Asia/Tokyo", currency_code: "JPY" },
  }),
};

const before: Partial<Record<RecordKind, (connections: Connections, project: string) => object[]>> = {
  deployment: ({ deployment }, project) => [
    { name: "before", step: "list_deployments", connection_id: deployment, input: { project, limit: 2 } },
  ],
};

const behind: Partial<Record<RecordKind, (connections: Connections) => object[]>> = {
  deployment: ({ deployment }) => [
    {
      name: "after",
      step: "deployment_api_call",
      connection_id: deployment,
      input: { method: "GET", path: "/v13/deployments/{{steps.create.output.deployment_id}}" },
    },
  ],
};
