import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operations } from "../../src/api/index.ts";
import { typeScriptOf } from "../../src/http/documentation/reference/call-samples.ts";
import { startPlatform } from "../support/platform.ts";
import { generator } from "../support/processes/generators.ts";
import { runProgram } from "./run-program.ts";

/** "`npm pack` holds built JavaScript and declarations, and what it should only", installed in an empty folder and used. */

const root = fileURLToPath(new URL("../..", import.meta.url));
const compressedBytesMax = 10_000;

let folder: string;
/** An empty folder, in which the package is installed. */
let user: string;
let tarball: Buffer;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-packed-"));
  // A copy, because npm pack changes the manifest for a moment.
  const clone = join(folder, "clone");
  user = join(folder, "user");
  for (const each of [clone, user]) mkdirSync(each);
  for (const name of ["package.json", "README.md", "LICENSE"]) cpSync(join(root, name), join(clone, name));
  for (const name of ["src", "scripts", "node_modules"]) symlinkSync(join(root, name), join(clone, name));
  await runProgram("npm", ["pack", "--loglevel=error"], { cwd: clone });
  for (const name of ["package.json", "README.md"])
    expect(readFileSync(join(clone, name), "utf8")).toBe(readFileSync(join(root, name), "utf8"));
  const name = readdirSync(clone).find((each) => each.endsWith(".tgz")) ?? "";
  tarball = readFileSync(join(clone, name));
  writeFileSync(join(user, "package.json"), '{"name":"user","version":"1.0.0","type":"module"}');
  const options = ["--offline", "--no-audit", "--no-fund", "--loglevel=error"];
  await runProgram("npm", ["install", join(clone, name), ...options], { cwd: user });
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const installed = (name: string): string => readFileSync(join(user, "node_modules/signalbox", name), "utf8");

interface Publint {
  publint(options: object): Promise<{ messages: unknown[] }>;
}
interface Attw {
  createPackageFromTarballData(data: Uint8Array): unknown;
  checkPackage(made: unknown): Promise<{ problems: unknown[]; entrypoints: Record<string, unknown> }>;
}

describe("the packed client", () => {
  test("holds JavaScript, declarations and nothing else, has no dependency, and stays under 10 kB compressed", () => {
    const names = readdirSync(join(user, "node_modules/signalbox"), { recursive: true, encoding: "utf8" });
    const files = ["client.cjs", "client.d.cts", "client.d.ts", "client.js"].map((name) => `dist/client/${name}`);
    expect(names.sort()).toEqual(["LICENSE", "README.md", "dist", "dist/client", ...files, "package.json"]);
    expect(readdirSync(join(user, "node_modules")).filter((name) => !name.startsWith("."))).toEqual(["signalbox"]);
    for (const name of files) expect(installed(name)).not.toMatch(/^\s*(import|export) .*from|\brequire\(|import\("/m);
    expect(gzipSync(installed("dist/client/client.js")).length).toBeLessThan(compressedBytesMax);
  });

  test("can be published, which the clone cannot, and its README is about the client", async () => {
    const refused = runProgram("npm", ["publish", "--dry-run"], { cwd: join(folder, "clone") });
    await expect(refused).rejects.toThrow("Publish the file that npm pack writes");
    const { private: isPrivate, scripts } = JSON.parse(installed("package.json"));
    expect([isPrivate, scripts]).toEqual([undefined, undefined]);
    expect(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).private).toBe(true);
    expect(installed("README.md")).toMatch(/^# The TypeScript client/);
    expect(installed("README.md")).not.toMatch(/npm start|docs\//);
  });

  test('"Node 20+, browsers and edge runtimes": it needs what all of them have, and nothing that is newer than Node 20', async () => {
    const { app, owner, projectId, connections } = await startPlatform("sqlite");
    const BASE = await app.app.listen({ host: "127.0.0.1", port: 0 });
    const lines: string[] = [];
    const env = { BASE, KEY: owner.apiKey, PROJECT: projectId, CONNECTION: connections.deployment };
    const edge = createContext({
      ...{ fetch, URL, Headers, AbortController, AbortSignal, TextDecoder, TextDecoderStream, crypto },
      ...{ setTimeout, clearTimeout },
      console: { log: (...words: unknown[]) => void lines.push(words.join(" ")) },
      exports: {},
      process: { env },
    });
    runInContext(withoutNewer, edge);
    runInContext(installed("dist/client/client.cjs"), edge);
    runInContext("var { Signalbox, SignalboxProblem } = exports;", edge);
    await runInContext(`(async () => {${uses}${followed}})()`, edge);
    expect(lines).toEqual(["owner@example.com succeeded 2 run_not_found", "succeeded"]);
    // Syntax: what a Node of 2023 cannot parse.
    expect(installed("dist/client/client.js")).not.toMatch(/\b(await )?using [a-z]\w* =|\/v[;,.)\s]|\bimport defer\b/);
  });

  test("publint and @arethetypeswrong/core have nothing to say, for every way to resolve it", async () => {
    const { publint } = await generator<Publint>("publint/src/index-node.js");
    const bytes = new Uint8Array(tarball);
    expect((await publint({ pack: { tarball: bytes.buffer }, level: "suggestion", strict: true })).messages).toEqual(
      [],
    );
    const attw = await generator<Attw>("@arethetypeswrong/core/dist/index.js");
    const { problems, entrypoints } = await attw.checkPackage(attw.createPackageFromTarballData(bytes));
    expect(problems).toEqual([]);
    expect(Object.keys(entrypoints)).toContain("./client");
  });

  test("is used from JavaScript, TypeScript and a bundler, and every example of its page works", async () => {
    const { app, owner, projectId, connections } = await startPlatform("sqlite");
    const env = {
      BASE: await app.app.listen({ host: "127.0.0.1", port: 0 }),
      KEY: owner.apiKey,
      PROJECT: projectId,
      ORGANIZATION: owner.organizationId,
      CONNECTION: connections.deployment,
    };
    writeFileSync(join(user, "use.mjs"), `import { Signalbox, SignalboxProblem } from "signalbox/client";\n${uses}`);
    writeFileSync(
      join(user, "use.cjs"),
      `const { Signalbox, SignalboxProblem } = require("signalbox/client");\n(async () => {${uses}})();`,
    );
    await bundle("use.mjs");
    const node = await machineNode();
    const programs = ["use.mjs", "use.cjs", "bundled/use.js"];
    const said = await Promise.all(programs.map((file) => runProgram(node, [file], { cwd: user, env })));
    expect(said).toEqual(programs.map(() => "owner@example.com succeeded 2 run_not_found\n"));

    const pages = [readFileSync(join(root, "docs/client.md"), "utf8"), installed("README.md")];
    const examples = pages.flatMap(examplesIn);
    expect(examples.length).toBeGreaterThan(5);
    writeFileSync(join(user, "examples.ts"), programOf(examples));
    writeFileSync(join(user, "types.ts"), typed);
    writeFileSync(join(user, "samples.ts"), samplesOfReference());
    const options = [
      "--noEmit",
      "--singleThreaded",
      "--strict",
      "--module",
      "nodenext",
      "--target",
      "es2022",
      "--types",
      "node",
    ];
    const typeRoots = ["--typeRoots", join(root, "node_modules/@types")];
    const tsc = join(root, "node_modules/.bin/tsc");
    const [, ran] = await Promise.all([
      runProgram(tsc, [...options, ...typeRoots, "examples.ts", "types.ts", "samples.ts"], { cwd: user }),
      runProgram(process.execPath, ["examples.ts"], { cwd: user, env }),
    ]);
    expect(ran).toContain(`${examples.length} examples`);
  });
});

/** The same in both module systems, and for Node 20: no types. */
const uses = `
const { BASE, KEY, PROJECT, CONNECTION } = process.env;
const signalbox = new Signalbox({ baseUrl: BASE, apiKey: KEY, projectId: PROJECT });
const { user } = await signalbox.info();
const run = await signalbox.steps.run("list_deployments", { connection_id: CONNECTION, input: { limit: 2 } });
const lost = await signalbox.runs.get("run_us_none").catch((error) => error);
if (!(lost instanceof SignalboxProblem)) throw lost;
console.log(user.email, run.status, run.output.deployments.length, lost.code);
`;

const followed = `
const tool = await signalbox.tools.create({ title: "Wait", steps: [{ name: "wait", step: "wait", input: { seconds: 0 } }] });
const { run_id } = await signalbox.tools.triggerAsync(tool.tool_id);
let last;
for await (const each of signalbox.runs.follow(run_id)) last = each.status;
console.log(last);
`;

/** Functions that came after Node 20, which this Node has. */
const withoutNewer = `
for (const name of ["withResolvers", "try"]) delete Promise[name];
for (const name of ["groupBy"]) { delete Object[name]; delete Map[name]; }
for (const name of ["union", "intersection", "difference", "isSubsetOf"]) delete Set.prototype[name];
for (const name of ["getOrInsert", "getOrInsertComputed"]) delete Map.prototype[name];
delete Array.fromAsync; delete RegExp.escape; delete Error.isError; delete Uint8Array.fromBase64; delete Uint8Array.prototype.toBase64;
delete Iterator.from;
for (const name of ["map", "filter", "take", "drop", "toArray", "forEach", "some", "find", "flatMap", "reduce", "every"]) delete Iterator.prototype[name];
`;

/** "Step outputs are typed by step id", without Zod or anything else of the server. */
const typed = `
import { type Run, Signalbox, SignalboxProblem, type StepOutput } from "signalbox/client";
const signalbox = new Signalbox({ baseUrl: "http://127.0.0.1:4100", apiKey: "k" });
export async function use(): Promise<string[]> {
  const run = await signalbox.steps.run("list_deployments", { connection_id: "c", input: { limit: 2 } });
  // @ts-expect-error: the output may be missing unless the run has succeeded.
  run.output.deployments;
  // @ts-expect-error: a step takes its own members.
  await signalbox.steps.run("list_deployments", { connection_id: "c", input: { limit: "two" } });
  // @ts-expect-error: there is no such operation.
  await signalbox.runs.explode();
  const read: Run = await signalbox.runs.get("r");
  const first: StepOutput<"list_deployments">["deployments"][number]["url"][] =
    run.status === "succeeded" ? run.output.deployments.map(({ url }) => url) : [];
  for await (const each of signalbox.runs.list({ limit: 1 })) first.push(each.run_id);
  return [...first, read.status, new SignalboxProblem(404, {}).code];
}
`;

const examplesIn = (page: string): string[] =>
  [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = ""]) => code.replace(/^import .*\n/gm, ""));

const programOf = (examples: string[]): string => `
import { Signalbox, SignalboxProblem } from "signalbox/client";
const { BASE: baseUrl = "", KEY: apiKey = "", PROJECT: projectId = "" } = process.env;
const { ORGANIZATION: organization_id = "", CONNECTION: connection_id = "" } = process.env;
${examples.map((code, index) => `async function example${index}() {\n${code.includes("new Signalbox(") ? "" : made}${code}}`).join("\n")}
for (const run of [${examples.map((_, index) => `example${index}`).join(", ")}]) await run();
console.log("${examples.length} examples", SignalboxProblem.name);
`;
/** Each call that the reference shows in TypeScript. */
const samplesOfReference = (): string => {
  const calls = operations.filter(({ needs }) => needs !== "nobody").map((each) => `{ ${typeScriptOf(each)} }`);
  return `import { Signalbox } from "signalbox/client";
export async function samples(signalbox: Signalbox) {\n${calls.join("\n")}\n}`;
};

const made = "const signalbox = new Signalbox({ baseUrl, apiKey, projectId });\n";

const bundle = (file: string) =>
  build({
    configFile: false,
    root: user,
    logLevel: "error",
    build: {
      outDir: "bundled",
      target: "es2022",
      lib: { entry: join(user, file), formats: ["es"], fileName: () => "use.js" },
    },
  });

/** The Node of the machine, which may be as old as 20, and not the one that Signalbox carries; that one if there is no other. */
async function machineNode(): Promise<string> {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((each) => !each.includes("node_modules"));
  for (const each of folders) {
    const version = await runProgram(join(each, "node"), ["--version"], { cwd: user }).catch(() => "");
    if (/^v(2\d)\./.test(version)) return join(each, "node");
  }
  return process.execPath;
}
