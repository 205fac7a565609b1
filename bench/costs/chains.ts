import { appendAudit, lockChain } from "../../src/access/audit/audit.ts";
import { operatorScope } from "../../src/access/operator.ts";
import type { Store } from "../../src/store/db.ts";
import { migrate } from "../../src/store/migrate.ts";
import { openPostgres } from "../../src/store/postgres/postgres.ts";
import { inRounds } from "../rounds/rounds.ts";
import { type Line, lineOf } from "../rounds/table.ts";
import { startDurablePostgres } from "../targets/durable-postgres.ts";
import { newProject } from "../targets/published-tool.ts";

const writers = 16;
const plan = { rounds: 3, seconds: 2 };
const now = () => new Date();

/** Audit rows that sixteen writers append in a second: all to the chain of one organization, beside each to a chain of its own. */
export async function compareChains(left: string[]): Promise<Line[]> {
  const postgres = await startDurablePostgres();
  if (typeof postgres === "string") {
    left.push(`the audit chain of one organization beside many: ${postgres}.`);
    return [];
  }
  const store = openPostgres(postgres.url, writers);
  try {
    await migrate(store, now());
    const organizations: string[] = [];
    for (let number = 0; number < writers; number++)
      organizations.push((await newProject(store, `owner-${number}@example.com`)).organizationId);
    const [first = ""] = organizations;
    const ways = [organizations.map(() => first), organizations].map((chains) => () => append(store, chains));
    for (const warmUp of ways) await warmUp();
    const [one = [], many = []] = await inRounds(plan.rounds, ways);
    return [lineOf("audit rows of one organization", "/s", one, { name: `of ${writers}`, figures: many }, null)];
  } finally {
    await store.close();
    await postgres.stop();
  }
}

/** One writer for each entry. Returns the rows of a second. */
async function append(store: Store, chains: readonly string[]): Promise<number> {
  const start = performance.now();
  let done = 0;
  const writer = async (organizationId: string) => {
    while (performance.now() - start < plan.seconds * 1000) {
      await store.transaction(async (db) => {
        const head = await lockChain(db, organizationId);
        await appendAudit(operatorScope(db, "us", now), head, { action: "project.created", target: "prj_us_bench" });
      });
      done++;
    }
  };
  await Promise.all(chains.map(writer));
  return done / ((performance.now() - start) / 1000);
}
