import { Agent, request } from "node:http";
import { fileURLToPath } from "node:url";
import { defaultPolicies } from "../../../../src/calls/rate-limits/default-quotas.ts";
import { createCaller } from "../../../support/processes/http-caller.ts";
import { firstRunOf, runProgram, startServer } from "../../../support/processes/server-process.ts";
import type { LoopMeasure } from "../measure-loop.ts";
import { makeRecords, makeResource, type Records } from "./records.ts";
import { type SilentModel, startSilentModel } from "./silent-model.ts";

export interface HostileRequest {
  method: string;
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

/** A real server whose loop is measured, an attacker with a project in which there is one of everything, and a neighbour. */
export interface HostileWorld extends Pick<Records, "values" | "another" | "webhookPath"> {
  model: Pick<SilentModel, "says">;
  /** One that signs people in, and one whose metadata the attacker changes. */
  samlProvider: string;
  changedSamlProvider: string;
  connections: Record<string, string>;
  headers: Record<string, string>;
  scimToken: string;
  scimUser: string;
  scimGroup: string;
  /** Sends, and reads the answer to its end; 0 where the connection broke. */
  send(hostile: HostileRequest): Promise<number>;
  exchange(hostile: HostileRequest): Promise<Exchanged>;
  call(operation: string, body: unknown): Promise<{ status: number; body: Record<string, string> }>;
  /** A call of another tenant: its status, and how long it took on the wall. */
  neighbour(): Promise<{ status: number; milliseconds: number }>;
  measure(): Promise<LoopMeasure>;
  close(): Promise<void>;
}

export interface Exchanged {
  status: number;
  location: string;
  /** As a browser sends them back. */
  cookie: string;
  /** Of a short answer. */
  text: string;
}

const json = { "content-type": "application/json" };

/** How many requests an attacker has under way. */
export const atOnce = 16;
const shortBytes = 16 * 1024;
/** What is one too many is refused before it is read, and here everything is to be read. */
const highLimits = Object.keys(defaultPolicies)
  .map((name) => `${name}=1000000/60`)
  .join(",");

/** In an empty folder. */
export async function openHostileWorld(home: string, settings: NodeJS.ProcessEnv = {}): Promise<HostileWorld> {
  const preload = fileURLToPath(new URL("../measure-loop.ts", import.meta.url));
  const model = await startSilentModel();
  const own = { SIGNALBOX_SANDBOXES: "own", SIGNALBOX_RATE_LIMITS: highLimits, ...model.settings };
  const server = await startServer(home, { ...own, ...settings }, preload);
  const first = firstRunOf(home);
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const caller = createCaller(server.port, 2);
  const asNeighbour = createCaller(server.port);
  const close = async () => {
    for (const each of [caller, asNeighbour]) each.close();
    agent.destroy();
    model.close();
    await server.kill();
  };
  const headers = { ...json, authorization: `Bearer ${first.project_id}:${first.api_key}` };
  const call: HostileWorld["call"] = (operation, body) => caller.call(operation, body, headers);
  // Pages are at the name and not at the number, which only leads there.
  const host = `localhost:${server.port}`;

  const exchange = (hostile: HostileRequest): Promise<Exchanged> =>
    new Promise((resolve) => {
      const { method, path, headers: own, body = "" } = hostile;
      const always = { host, "content-length": String(Buffer.byteLength(body)) };
      const [port, text] = [server.port, [] as string[]];
      const broken = () => resolve({ status: 0, location: "", cookie: "", text: "" });
      const sent = request({ agent, port, host: "127.0.0.1", method, path, headers: { ...always, ...own } });
      sent.setTimeout(60_000, () => sent.destroy());
      sent.on("response", (response) => {
        const isShort = Number(response.headers["content-length"]) <= shortBytes;
        response.on("data", (chunk: Buffer) => isShort && text.push(chunk.toString()));
        const { location = "", "set-cookie": cookies = [] } = response.headers;
        const cookie = cookies.map((each) => each.split(";")[0]).join("; ");
        const status = response.statusCode ?? 0;
        response.on("close", () => resolve({ status, location, cookie, text: text.join("") }));
        response.on("error", broken);
      });
      sent.on("error", broken);
      sent.end(body);
    });

  try {
    const records = await makeRecords({ call, exchange }, first.project_id, first.connections?.deployment ?? "");
    const [samlProvider, changedSamlProvider] = records.samlProviders;
    const scimToken = first.scim_token ?? "";
    const other = ["users", "create", "--email", "neighbour@example.net", "--region", "us", "--home", home, "--json"];
    const apiKey: string = JSON.parse((await runProgram(other, settings)).output).api_key;
    return {
      ...records,
      model,
      values: { ...records.values, organization_id: first.organization_id, project_id: first.project_id },
      ...{ samlProvider, changedSamlProvider },
      connections: { ...first.connections } as Record<string, string>,
      headers,
      scimToken,
      scimUser: await makeResource({ exchange }, scimToken, "Users", { userName: "scim@example.com" }),
      scimGroup: await makeResource({ exchange }, scimToken, "Groups", { displayName: "A group" }),
      send: async (hostile) => (await exchange(hostile)).status,
      exchange,
      call,
      async neighbour() {
        const begun = performance.now();
        const { status } = await asNeighbour.call("auth/info", {}, { authorization: `Bearer :${apiKey}` });
        return { status, milliseconds: Math.round(performance.now() - begun) };
      },
      measure: () => server.ask("measure") as Promise<LoopMeasure>,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
