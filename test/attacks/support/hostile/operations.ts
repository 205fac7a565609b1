import * as z from "zod";
import { operations } from "../../../../src/api/index.ts";
import {
  bodySchemaOf,
  exampleBodyOf,
  type JsonSchema,
  namesInPath,
} from "../../../../src/api/reference/operation-schemas.ts";
import { bodyBytesMaxOf } from "../../../../src/calls/body-size.ts";
import type { Operation } from "../../../../src/calls/define-operation.ts";
import { steps } from "../../../../src/systems/index.ts";
import type { Deal } from "./deal.ts";
import { type Attack, attacksIn, inAddress, jsonOf, shapesFrom, someBytes, textsFrom } from "./texts.ts";
import { bodyBeside, bodyWith, placesIn } from "./values.ts";
import type { HostileRequest, HostileWorld } from "./world.ts";

const largeBytes = 4 * 1024 * 1024;
/** The router takes no longer one. */
const segmentBytes = 128;

/** Everything is there until it is deleted. */
const inOrder: readonly Operation[] = operations.toSorted(
  (a, b) => Number(endsSomething(a)) - Number(endsSomething(b)),
);
function endsSomething({ path }: Operation): boolean {
  return /\/(?:delete|remove|revoke|revoke_all|deactivate|sign_out|pause|cancel|rotate|reroll|remove_fault)$/.test(
    path,
  );
}

/** One ordinary call of each, so that what is made when it is first needed is there. */
export const ordinaryCalls = (world: HostileWorld): HostileRequest[] => [
  ...inOrder
    .filter((operation) => !endsSomething(operation))
    .map((operation) => callOf(operation, world, JSON.stringify(baseOf(operation, world)))),
  ...["/latest/documentation", "/latest/openapi.json", "/sign-in", "/account", "/", "/sso/start?email=a"].map(
    (path) => ({
      method: "GET",
      path,
      headers: {},
    }),
  ),
];

const callOf = (operation: Operation, world: HostileWorld, body: string, path?: string): HostileRequest => ({
  method: "POST",
  path: path ?? pathWith(operation, valuesOf(operation, world)),
  headers: world.headers,
  body,
});

const pathWith = ({ path }: Operation, values: Record<string, unknown>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name] ?? "none")));

/** Records that exist, and that the operation takes. */
function valuesOf({ area, path }: Operation, { values }: HostileWorld): Record<string, unknown> {
  if (area === "service_users") return { ...values, user_id: values.service_user_id };
  if (path.startsWith("/latest/auth/assistants/")) return { ...values, client_id: values.assistant_id };
  if (path.endsWith("/approve")) return { ...values, run_id: values.asking_run_id };
  return values;
}

/** The example of the documentation, with records that exist. */
function baseOf(operation: Operation, world: HostileWorld): Record<string, unknown> {
  const values = valuesOf(operation, world);
  const existing = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(existing);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, values[name] ?? existing(member)]));
  };
  return { ...(existing(exampleBodyOf(operation)) as object), ...ownBases[operation.path] };
}

/** Where the example fits no tool or run of this world. */
const ownBases: Readonly<Record<string, Record<string, unknown>>> = {
  "/latest/tools/{tool_id}/rename_step": { from: "pause" },
  "/latest/tools/{tool_id}/update": { revision: undefined },
  "/latest/runs/{run_id}/replay": { from_step: "pause" },
};

/** Nearly as many members as the server reads, of about eleven characters. */
const crowdBytes = 700_000;
const crowdedInSample = 20;

/** Every operation: its body as a whole, each of its fields, and each name in its path. */
export function* attacksOnOperations(world: HostileWorld, deal: Deal): Generator<Attack> {
  const crowdedOnes = deal.places(inOrder, crowdedInSample);
  for (const operation of inOrder) {
    const bytesMax = bodyBytesMaxOf(operation);
    const base = baseOf(operation, world);
    const prepare = endsSomething(operation) ? { prepare: renewal(operation, world) } : {};
    const attack = (name: string, body: string, path?: string): Attack => ({
      name: `${operation.path} ${name}`,
      ...callOf(operation, world, body, path),
    });
    for (const shape of shapesFrom(deal, 1)) {
      const body = bodyWith(base, ["unknown"], jsonOf(shape, Math.min(someBytes, bytesMax - 4096)));
      yield { ...attack(`whole body, ${shape}`, body), ...prepare };
    }
    if (crowdedOnes.includes(operation)) {
      const body = bodyBeside(base, Math.min(crowdBytes, bytesMax - 4096));
      yield { ...attack("very many unknown members beside its own", body), ...prepare };
    }
    for (const [name, body] of attacksIn(placesIn(bodySchemaOf(operation)), { base, bytesMax }, deal)) {
      yield { ...attack(name, body), ...prepare };
    }
    for (const name of namesInPath(operation)) {
      for (const text of textsFrom(deal)) {
        const path = pathWith(operation, { ...valuesOf(operation, world), [name]: "\0" }).replace(
          "%00",
          inAddress(text, segmentBytes),
        );
        yield attack(`${name} in the path: ${text.name}`, JSON.stringify(base), path);
      }
    }
  }
}

/** What a call ends is made again before the next one, which otherwise would not find it. */
function renewal(operation: Operation, world: HostileWorld): NonNullable<Attack["prepare"]> {
  // The last name is that of what it ends, within what is named before.
  const name = [...namesInPath(operation), ...(bodySchemaOf(operation).required ?? [])].at(-1) ?? "";
  const before = String(valuesOf(operation, world)[name]);
  return async ({ path, body }) => {
    // One-time codes have no id.
    const after = await world.another(operation.path.endsWith("/codes/remove") ? "codes" : name);
    if (after === null) return {};
    return { path: path.replace(before, String(after)), body: String(body).replace(before, String(after)) };
  };
}

/** Each step has fields of its own, within the `input` of one operation. */
export function* attacksOnSteps(world: HostileWorld, deal: Deal): Generator<Attack> {
  let count = 0;
  for (const step of steps) {
    const schema = z.toJSONSchema(step.input, { io: "input", unrepresentable: "any" }) as JsonSchema;
    const connection_id = world.connections[step.system.id];
    const request = { method: "POST", path: `/latest/steps/${step.id}/run`, headers: world.headers };
    const places = placesIn(schema).map((place) => ({ ...place, path: ["input", ...place.path] }));
    const base = { connection_id, input: step.examples[0]?.input ?? {}, wait_seconds: 0, dry_run: true };
    for (const [name, body] of attacksIn(places, { base, bytesMax: largeBytes }, deal)) {
      const isSent = count++ % 2 === 0;
      yield {
        name: `${step.id} ${name}`,
        ...request,
        body: isSent ? body.replace('"dry_run":true', '"dry_run":false') : body,
      };
    }
  }
}
