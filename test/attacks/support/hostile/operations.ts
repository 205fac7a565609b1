import * as z from "zod";
import { operations } from "../../../../src/api/index.ts";
import { bodySchemaOf, exampleBodyOf, type JsonSchema, namesInPath } from "../../../../src/api/reference/schemas.ts";
import { bodyBytesMaxOf } from "../../../../src/calls/area-limits.ts";
import type { Operation } from "../../../../src/calls/define.ts";
import { steps } from "../../../../src/systems/index.ts";
import type { Deal } from "./deal.ts";
import { type Attack, attacksAt, inAddress, jsonOf, shapesFrom, someBytes, textsFrom } from "./texts.ts";
import { bodyWith, placesIn } from "./values.ts";
import type { HostileRequest, HostileWorld } from "./world.ts";

const largeBytes = 4 * 1024 * 1024;
/** The router takes no longer one. */
const segmentBytes = 128;

/** Everything is there until it is deleted. */
const inOrder: readonly Operation[] = operations.toSorted(
  (a, b) => Number(endsSomething(a)) - Number(endsSomething(b)),
);
function endsSomething({ path }: Operation): boolean {
  return /\/(?:delete|remove|revoke|revoke_all|deactivate|sign_out|pause|cancel|rotate|reroll)$/.test(path);
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
  path: path ?? pathWith(operation, world.values),
  headers: world.headers,
  body,
});

const pathWith = ({ path }: Operation, values: Record<string, unknown>): string =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name] ?? "none")));

function baseOf(operation: Operation, { values }: HostileWorld): Record<string, unknown> {
  const example = exampleBodyOf(operation);
  return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, values[name] ?? value]));
}

/** Every operation: its body as a whole, each of its fields, and each name in its path. */
export function* attacksOnOperations(world: HostileWorld, deal: Deal): Generator<Attack> {
  for (const operation of inOrder) {
    const bytesMax = bodyBytesMaxOf(operation);
    const base = baseOf(operation, world);
    const attack = (name: string, body: string, path?: string): Attack => ({
      name: `${operation.path} ${name}`,
      ...callOf(operation, world, body, path),
    });
    const bytes = deal.isLarge() ? bytesMax - 4096 : Math.min(someBytes, bytesMax - 4096);
    for (const shape of shapesFrom(deal, 1)) {
      yield attack(`whole body, ${shape}`, bodyWith(base, ["unknown"], jsonOf(shape, bytes)));
    }
    for (const place of placesIn(bodySchemaOf(operation))) {
      for (const [name, body] of attacksAt(place, base, bytesMax, deal)) yield attack(name, body);
    }
    for (const name of namesInPath(operation)) {
      for (const text of textsFrom(deal)) {
        const path = pathWith(operation, { ...world.values, [name]: "\0" }).replace(
          "%00",
          inAddress(text, segmentBytes),
        );
        yield attack(`${name} in the path: ${text.name}`, JSON.stringify(base), path);
      }
    }
  }
}

/** Each step has fields of its own, within the `input` of one operation. */
export function* attacksOnSteps(world: HostileWorld, deal: Deal): Generator<Attack> {
  for (const step of steps) {
    const schema = z.toJSONSchema(step.input, { io: "input", unrepresentable: "any" }) as JsonSchema;
    const connection_id = world.connections[step.system.id];
    const request = { method: "POST", path: `/latest/steps/${step.id}/run`, headers: world.headers };
    for (const [index, place] of placesIn(schema).entries()) {
      const base = { connection_id, input: step.examples[0]?.input ?? {}, wait_seconds: 0, dry_run: index % 2 === 0 };
      const within = { ...place, path: ["input", ...place.path] };
      for (const [name, body] of attacksAt(within, base, largeBytes, deal)) {
        yield { name: `${step.id} ${name}`, ...request, body };
      }
    }
  }
}
