import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { freshValues, type Values, validCall } from "../../../test/support/calls/valid-calls.ts";
import type { Finished } from "../../../test/support/processes/command.ts";
import {
  hasPseudoTerminal,
  openTerminal,
  type Seen,
  wrappedLines,
} from "../../../test/support/processes/pseudo-terminal.ts";
import { startServedTeam } from "../../../test/support/processes/served-team.ts";
import { operations } from "../../api/index.ts";
import { answerSchemaOf, isReserved, namesInPath } from "../../api/reference/operation-schemas.ts";
import type { Operation } from "../../calls/define-operation.ts";
import { sections } from "../commands.ts";
import { contract, wordsOf } from "./operations.ts";
import { rowsOf } from "./table-rows.ts";

/** "Every CLI command against a running server, in a pseudo-terminal of 80 columns too." */

/** Commands that are written by hand take their values in their own order. */
const byHand: Record<string, (values: Values, file: string) => unknown[]> = {
  "runs/{run_id}/approve": (v) => [v.run_id],
  "runs/{run_id}/resolve": (v) => [v.run_id, v.outcome],
  "steps/search": (v) => [v.query],
  "steps/{step_id}/run": (v) => [v.step_id, "--connection", v.connection_id],
  "tools/import": (_, file) => [file],
  "tools/validate": (_, file) => [file],
  "tools/{tool_id}/restore": (v) => [v.tool_id, v.version],
};

/** A run that fails, because its account or its model reaches nothing. */
const endsBadly = new Set(["steps/{step_id}/run", "agents/{agent_id}/trigger"]);
/** Opens a browser and waits: it has a test of its own. */
const elsewhere = new Set(["connections/connect"]);

function argsOf(operation: Operation, values: Values, file: string): string[] {
  const short = operation.path.replace("/latest/", "");
  const own = byHand[short];
  const { body } = validCall(operation, values);
  const ids = namesInPath(operation).map((name) => values[name]);
  // The one id that says which record is meant stands without a flag.
  const isPositional = (name: string) =>
    ids.length === 0 && /_(id|code)$/.test(name) && !/(create|list|create_key|list_keys)$/.test(short);
  const [first] = Object.keys(body).filter(isPositional);
  const flags = Object.entries(body).flatMap(([name, value]) =>
    name === first ? [] : [`--${name.replaceAll("_", "-")}`, typeof value === "string" ? value : JSON.stringify(value)],
  );
  const given = own ? own(values, file) : [...ids, ...(first ? [body[first]] : []), ...flags];
  return [...wordsOf(operation.path), ...given.map(String)];
}

/** Where there is no pseudo-terminal: streams that say that they are one. */
async function inPipes(finished: Promise<Finished>): Promise<Seen> {
  const { code, stdout, stderr } = await finished;
  return { code, text: stripVTControlCharacters(stderr + stdout) };
}

describe("every operation of the contract", () => {
  test("is a command that works, and its output fits a terminal of 80 columns", async () => {
    const { team, folder, run, environment } = await startServedTeam();
    const terminal = hasPseudoTerminal ? await openTerminal(environment) : null;
    const file = join(folder, "tool.yaml");
    writeFileSync(file, "title: Waits\nsteps:\n  - name: pause\n    step: wait\n    input: { seconds: 1 }\n");
    const known = new Set(contract().operations.map(({ path }) => path.replace("/latest/", "")));
    const wrong: unknown[] = [];
    for (const operation of operations) {
      const short = operation.path.replace("/latest/", "");
      if (!known.has(short) || elsewhere.has(short) || short === "auth/info") continue;
      const args = argsOf(operation, await freshValues(team, operation), file);
      const { code, text } = terminal ? await terminal.run(args) : await inPipes(run(args, { columns: 80 }));
      const expected = isReserved(operation) ? 3 : endsBadly.has(short) ? 1 : 0;
      // A list is a table or "none", also one without pages.
      if (code !== expected || text === "" || /^results\b/m.test(text)) wrong.push([args.join(" "), code, text]);
      wrong.push(...wrappedLines(text).map((line) => [args.join(" "), line]));
      if (!contract().operations.find(({ path }) => path === operation.path)?.list) continue;
      const page = await run([...args, "--json"]);
      if (!Array.isArray(JSON.parse(page.stdout).results)) wrong.push([args.join(" "), page]);
    }
    expect(wrong).toEqual([]);
  });

  test("is found by its group in the help", () => {
    const names = new Set(sections.flatMap(({ commands }) => commands.map(({ name }) => name)));
    const groups = contract().operations.map(({ path }) => wordsOf(path)[0] ?? "");
    expect([...new Set(groups)].filter((group) => !names.has(group) && group !== "info")).toEqual([]);
  });
});

interface ListSchema {
  properties?: { results?: { items?: { properties?: Record<string, unknown> } } };
}

test("every column of a list is a member that its records have", () => {
  const wrong: string[] = [];
  let described = 0;
  for (const operation of operations) {
    const known = (answerSchemaOf(operation) as ListSchema).properties?.results?.items?.properties;
    if (!known) continue;
    const read = new Set<string>();
    const record = new Proxy({}, { get: (_, name) => void read.add(String(name)) });
    rowsOf(operation, [record]);
    described += read.size > 0 ? 1 : 0;
    wrong.push(...[...read].filter((name) => !(name in known)).map((name) => `${operation.path}: ${name}`));
  }
  expect(described).toBeGreaterThan(20);
  expect(wrong).toEqual([]);
});

test("a row of runs names the step, the tool or the agent, and a limit says what is left", () => {
  const path = (name: string) => ({ path: `/latest/${name}` as const });
  const runs = [
    { run_id: "run_1", step_id: null, tool_id: "tol_1", status: "failed", problem: { code: "timed_out" } },
    { run_id: "run_2", step_id: "run_reports", tool_id: null, status: "succeeded" },
  ];
  expect(rowsOf(path("runs/list"), runs)).toEqual([
    { run_id: "run_1", step_or_tool: "tol_1", status: "failed", problem: "timed_out" },
    { run_id: "run_2", step_or_tool: "run_reports", status: "succeeded" },
  ]);
  const limit = { name: "daily", left: 5, used: 2, subject: "marketing|x", waiting: [{}], connection_id: "con_1" };
  expect(rowsOf(path("limits/list"), [limit])).toEqual([
    { name: "daily", used: 2, left: 5, waiting: 1, connection_id: "con_1" },
  ]);
  expect(rowsOf(path("limits/history"), [{ name: "daily", used: [null, 7, 3], exhausted_at: null }])).toEqual([
    { name: "daily", used: 3, most_used: 7, exhausted_at: null },
  ]);
  const next_runs = ["2026-11-18T08:00:00.000Z"];
  const schedules = [
    { schedule_id: "sch_1", enabled: true, next_runs },
    { schedule_id: "sch_2", enabled: false, next_runs },
  ];
  expect(rowsOf(path("schedules/list"), schedules)).toEqual([
    { schedule_id: "sch_1", next_run: "2026-11-18 08:00" },
    { schedule_id: "sch_2", next_run: "off" },
  ]);
});
