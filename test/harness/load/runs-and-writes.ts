import { seededRandom } from "../../kill-loop/random.ts";
import { AccessWriters } from "../../kill-loop/runs/access-writers.ts";
import { RunOracle } from "../../kill-loop/runs/oracle.ts";
import type { Outside } from "../../kill-loop/runs/outside.ts";
import type { prepare } from "../../kill-loop/runs/runs-kill-loop.ts";
import { Starters } from "../../kill-loop/runs/starters.ts";
import type { Findings } from "../frame/harness.ts";
import { ClientWithDeadline } from "./client-with-deadline.ts";
import { Probe } from "./probe.ts";

interface LoadPlan {
  /** As `prepare` returned it. */
  prepared: Awaited<ReturnType<typeof prepare>>;
  outside: Outside;
  ports: readonly number[];
  seed: number;
  deadlineSeconds?: number;
}

export type RunsAndWrites = ReturnType<typeof startRunsAndWrites>;

/** Clients that start runs and change access on nodes which the harness disturbs, until `end` compares what is left. */
export function startRunsAndWrites({ prepared, outside, ports, seed, deadlineSeconds }: LoadPlan) {
  const { first, toolIdOf } = prepared;
  const client = new ClientWithDeadline(first, [...ports], deadlineSeconds);
  const starters = new Starters({ first, projectId: outside.projectId, toolIdOf, node: client, seed });
  const writers = new AccessWriters(first, client, seed);
  const probe = new Probe(client, [...ports]);
  const broken: string[] = [];
  starters.begin();
  writers.begin();
  const acknowledged = () => starters.acknowledged + writers.acknowledged;
  const problems = () => [...broken, ...client.problems, ...starters.problems, ...writers.problems, ...probe.problems];
  return {
    client,
    probe,
    random: seededRandom(seed),
    /** What the harness itself found wrong. */
    broken,
    acknowledged,
    isBroken: () => problems().length > 0,
    async end(
      cycles: number,
      log: (line: string) => void,
    ): Promise<{ found: Omit<Findings, "recoverySeconds">; asked: number }> {
      await starters.end();
      await writers.end();
      const oracle = new RunOracle(first, ports[0] ?? 0, outside);
      // A run that was broken off is not compared: nothing is known of what is lost.
      const isJudged = problems().length === 0;
      if (isJudged) await oracle.judge(starters.wanted, (left) => log(`${left} runs are still open`));
      const lostWrites = isJudged ? await writers.judge((operation) => oracle.list(operation)) : 0;
      client.close();
      const found = {
        cycles,
        faults: cycles,
        acknowledged: acknowledged(),
        lost: isJudged ? oracle.lost + lostWrites : null,
        doubled: isJudged ? oracle.doubled : null,
        unknown: client.refused,
        broken: [...problems(), ...oracle.problems],
      };
      return { found, asked: oracle.unknown };
    },
  };
}
