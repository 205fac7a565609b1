import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readEmail } from "../../src/access/email.ts";
import { createAccountAsOperator, operatorScope } from "../../src/access/operator.ts";
import type { FirstRunRegion } from "../../src/start/first-run/first-run.ts";
import type { Store } from "../../src/store/db.ts";
import { openSqlite } from "../../src/store/sqlite/sqlite.ts";
import { createCaller } from "../support/processes/http-caller.ts";
import { firstRunOf, runProgram, startServer } from "../support/processes/server-process.ts";
import { Clients, clientCount, granting } from "./clients.ts";
import { History } from "./history.ts";
import { judge } from "./oracle.ts";
import { seededRandom } from "./random.ts";

export interface KillLoopReport {
  rounds: number;
  seed: number;
  asked: number;
  acknowledged: number;
  lost: number;
  repeated: number;
  /** From the start of each new life of the server to its first answer. */
  recoverySeconds: number[];
  problems: string[];
}

/**
 * The server is started, loaded by 16 clients and killed without warning after 20 to 400 ms, again and again on the same
 * data. After each start whatever was acknowledged must be there, once, with its audit row.
 */
export async function killLoop(
  rounds: number,
  seed: number,
  tell: (report: KillLoopReport) => void = () => {},
): Promise<KillLoopReport> {
  const home = mkdtempSync(join(tmpdir(), "signalbox-kill-loop-"));
  const random = seededRandom(seed);
  const history = new History();
  let repeated = 0;
  const recoverySeconds: number[] = [];
  const report = (round: number): KillLoopReport => ({
    rounds: round,
    seed,
    asked: history.operations.length,
    acknowledged: history.operations.filter((each) => each.state === "done").length,
    lost: history.operations.filter((each) => each.state === "lost").length,
    repeated,
    recoverySeconds,
    problems: history.problems,
  });

  let server = await startServer(home);
  const first = firstRunOf(home);
  const clients = new Clients(history, first, await makePeople(home, first, server.port), seed);
  try {
    for (let round = 1; round <= rounds && history.problems.length === 0; round++) {
      const lost = clients.workUntilLost(server.port);
      await after(20 + random() * 380);
      const ownEnd = server.ownEnd();
      if (ownEnd !== null) history.complain(`The server ended by itself: ${ownEnd}`);
      await server.kill();
      await lost;
      const endedAt = performance.now();
      server = await startServer(home);
      recoverySeconds.push((performance.now() - endedAt) / 1000);
      repeated += history.toRepeat().length;
      await clients.repeatLost(server.port);
      await clients.repeatDone(server.port, sampleOf(history, random));
      await beside(home, (open) => judge(open, history, first));
      tell(report(round));
    }
    await server.stop();
    await judgeAtRest(home, history);
    return report(rounds);
  } finally {
    await server.kill();
    rmSync(home, { recursive: true, force: true });
  }
}

const after = (milliseconds: number) => new Promise<void>((resolve) => setTimeout(resolve, milliseconds));

/** Opens the store next to the running server, as an operator's command does. */
async function beside<T>(home: string, work: (store: Store) => Promise<T>): Promise<T> {
  const store = openSqlite(join(home, "us.sqlite"));
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** One colleague for each client, in the first project. */
async function makePeople(home: string, first: FirstRunRegion, port: number): Promise<string[]> {
  const caller = createCaller(port);
  const authorization = `Bearer ${first.project_id}:${first.api_key}`;
  const people = await beside(home, async (store) => {
    const made: string[] = [];
    for (let i = 0; i < clientCount; i++) {
      const email = readEmail(`person${i}@example.com`);
      if (!email) throw new Error("A person's address does not pass our own grammar.");
      const scope = operatorScope(store, "us", () => new Date());
      const { user } = await createAccountAsOperator(scope, { email, organizationId: first.organization_id });
      const body = { email: email.typed, permissions: granting(["role:viewer"]) };
      await caller.call("auth/invite/create", body, { authorization });
      made.push(user.id);
    }
    return made;
  });
  caller.close();
  return people;
}

/** A few of those that were acknowledged with a key, from any time. */
function sampleOf(history: History, random: () => number) {
  const keyed = history.operations.filter((each) => each.state === "done" && each.idempotencyKey !== null);
  return Array.from({ length: 5 }, () => keyed[Math.floor(random() * keyed.length)]).filter(
    (each) => each !== undefined,
  );
}

/** Once the server has stopped in good order: the operator's own check, and the database's. */
async function judgeAtRest(home: string, history: History): Promise<void> {
  const verified = await runProgram(["audit", "verify", "--region", "us", "--home", home, "--json"]);
  if (verified.code !== 0) history.complain(`audit verify ended with ${verified.code}: ${verified.output}`);
  await beside(home, async (store) => {
    const [check] = await store.query<{ integrity_check: string }>("pragma integrity_check");
    if (check?.integrity_check !== "ok") history.complain(`integrity_check: ${check?.integrity_check}`);
    const dangling = await store.query("pragma foreign_key_check");
    if (dangling.length > 0) history.complain(`foreign_key_check: ${JSON.stringify(dangling[0])}`);
  });
}
