import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openApiDocument } from "../../src/http/openapi.ts";
import { startPlatform } from "../support/platform.ts";
import { generator, generatorModules } from "../support/processes/generators.ts";
import { runProgram } from "./run-program.ts";

/** "OpenAPI that generators like": other people's linters and generators, on the document that a server serves. */

const tsc = fileURLToPath(new URL("../../node_modules/.bin/tsc", import.meta.url));

/** As a server serves it; the test of OpenAPI compares the two. */
const document = JSON.stringify(openApiDocument("http://127.0.0.1:4100"));
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-generated-"));
  writeFileSync(join(folder, "openapi.json"), document);
  writeFileSync(join(folder, "package.json"), '{"type":"module"}');
  symlinkSync(generatorModules, join(folder, "node_modules"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Redocly {
  createConfig(config: object): Promise<object>;
  lintFromString(given: object): Promise<{ ruleId: string; message: string; location: { pointer?: string }[] }[]>;
}
interface Scalar {
  validate(text: string): Promise<{ valid: boolean; errors?: unknown[]; warnings?: unknown[] }>;
}

describe("the OpenAPI document", () => {
  test("@redocly/openapi-core finds nothing to warn of: examples, tags, ids, responses", async () => {
    const { createConfig, lintFromString } = await generator<Redocly>("@redocly/openapi-core/lib/index.js");
    const config = await createConfig({ extends: ["recommended"] });
    const found = await lintFromString({ source: document, absoluteRef: join(folder, "openapi.json"), config });
    expect(found.map(({ ruleId, message, location }) => `${ruleId}: ${message} ${location[0]?.pointer}`)).toEqual([]);
    // The same linter does find what it looks for.
    const source = JSON.stringify({
      openapi: "3.1.0",
      info: { title: "a", version: "1" },
      paths: {},
      tags: [{ name: "a" }],
    });
    const worse = await lintFromString({ source, absoluteRef: join(folder, "worse.json"), config });
    expect(worse.map(({ ruleId }) => ruleId)).toContain("tag-description");
  });

  test("@scalar/openapi-parser finds it valid, without a warning", async () => {
    const { validate } = await generator<Scalar>("@scalar/openapi-parser/dist/index.js");
    const { valid, errors = [], warnings = [] } = await validate(document);
    expect({ valid, errors, warnings }).toEqual({ valid: true, errors: [], warnings: [] });
  });
});

/** A call, a list, an error and a run; prints what came. */
const withOpenapiFetch = `
import createClient from "openapi-fetch";
import type { components, paths } from "./openapi.ts";
const { BASE = "", AUTHORIZATION = "", CONNECTION = "" } = process.env;
const api = createClient<paths>({ baseUrl: BASE, headers: { Authorization: AUTHORIZATION } });
const info = await api.POST("/latest/auth/info", { body: {} });
const list = await api.POST("/latest/projects/list", { body: { limit: 1 } });
const lost = await api.POST("/latest/runs/{run_id}/get", { params: { path: { run_id: "run_us_none" } }, body: {} });
const run = await api.POST("/latest/steps/{step_id}/run", {
  params: { path: { step_id: "list_deployments" } },
  body: { connection_id: CONNECTION, input: { limit: 2 } },
});
const project: components["schemas"]["ProjectWithRole"] | undefined = list.data?.results[0];
const ran = run.data?.status === "dry_run" ? "dry run" : run.data?.run_id;
console.log(JSON.stringify([info.data?.user.email, typeof project?.project_id, lost.error?.code, run.data?.status, ran]));
`;
const withHeyApi = `
import { client } from "./hey/client.gen.ts";
import { getCurrentUser, getRun, listProjects, runStep } from "./hey/sdk.gen.ts";
import type { ProjectWithRole } from "./hey/types.gen.ts";
const { BASE = "", AUTHORIZATION = "", CONNECTION = "" } = process.env;
client.setConfig({ baseUrl: BASE, auth: () => AUTHORIZATION });
const info = await getCurrentUser({ body: {} });
const list = await listProjects({ body: { limit: 1 } });
const lost = await getRun({ path: { run_id: "run_us_none" }, body: {} });
const run = await runStep({ path: { step_id: "list_deployments" }, body: { connection_id: CONNECTION, input: { limit: 2 } } });
const project: ProjectWithRole | undefined = list.data?.results[0];
const ran = run.data?.status === "dry_run" ? "dry run" : run.data?.run_id;
console.log(JSON.stringify([info.data?.user.email, typeof project?.project_id, lost.error?.code, run.data?.status, ran]));
`;

interface OpenapiTypescript {
  default(document: object): Promise<unknown>;
  astToString(nodes: unknown): string;
}
interface HeyApi {
  createClient(config: object): Promise<unknown>;
}

describe("a generated client", () => {
  beforeAll(async () => {
    const typescript = await generator<OpenapiTypescript>("openapi-typescript/dist/index.mjs");
    writeFileSync(join(folder, "openapi.ts"), typescript.astToString(await typescript.default(JSON.parse(document))));
    const { createClient } = await generator<HeyApi>("@hey-api/openapi-ts/dist/index.mjs");
    const output = { path: join(folder, "hey"), module: { extension: ".ts" } };
    await createClient({ input: join(folder, "openapi.json"), output, logs: { level: "silent", file: false } });
    writeFileSync(join(folder, "openapi-fetch.ts"), withOpenapiFetch);
    writeFileSync(join(folder, "hey-api.ts"), withHeyApi);
  });

  test("fits its types: a dry run has a type of its own, and a project has a name", async () => {
    const options = [
      "--noEmit",
      "--singleThreaded",
      "--strict",
      "--skipLibCheck",
      "--module",
      "nodenext",
      "--target",
      "es2022",
    ];
    const types = ["--allowImportingTsExtensions", "--types", "node", "--typeRoots"];
    const typeRoots = fileURLToPath(new URL("../../node_modules/@types", import.meta.url));
    await runProgram(tsc, [...options, ...types, typeRoots, "openapi-fetch.ts", "hey-api.ts"], { cwd: folder });
  });

  test("makes a call, a list, an error and a run: openapi-typescript with openapi-fetch, and @hey-api/openapi-ts", async () => {
    const { app, owner, projectId, connections } = await startPlatform("sqlite");
    const env = {
      BASE: await app.app.listen({ host: "127.0.0.1", port: 0 }),
      AUTHORIZATION: `Bearer ${projectId}:${owner.apiKey}`,
      CONNECTION: connections.deployment,
    };
    const files = ["openapi-fetch.ts", "hey-api.ts"];
    const said = await Promise.all(files.map((file) => runProgram(process.execPath, [file], { cwd: folder, env })));
    const ran = expect.stringMatching(/^run_us_/);
    expect(said.map((text) => JSON.parse(text))).toEqual(
      files.map(() => ["owner@example.com", "string", "run_not_found", "succeeded", ran]),
    );
  });
});
