import { BaseSequencer, type TestSpecification } from "vitest/node";

/** These take half a minute or more, the longest first: started last, they would delay the whole run. */
const long = [
  "/test/kill-loop/",
  "/test/attacks/hostile-input.test.ts",
  "/test/console/axe.test.ts",
  "/test/checks.test.ts",
  "/src/http/contract-fuzz.test.ts",
  "/test/attacks/untrusted-computing.test.ts",
  "/test/attacks/sign-in.test.ts",
  "/test/reliability/restore",
  "/test/harness/clock/",
  "/src/cli/serve/serve.test.ts",
  "/test/console/runs.test.ts",
  "/test/reliability/crash-of-a-node.test.ts",
  "/src/cli/connections.test.ts",
  "/test/journeys/sign-in",
  "/test/attacks/hostile-",
  "/test/attacks/limits.test.ts",
  "/test/console/bad-days.test.ts",
  "/test/console/story.test.ts",
  "/test/reliability/frozen-while-connecting.test.ts",
  "/test/fourth-system.test.ts",
  "/test/documents/examples.test.ts",
  "/test/attacks/large-bodies.test.ts",
  "/test/console/tools.test.ts",
  "/test/attacks/regular-expressions.test.ts",
  "/test/console/inbox.test.ts",
  "/test/journeys/bad-days.test.ts",
  "/test/attacks/large-group.test.ts",
  "/test/attacks/run-memory.test.ts",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = long.findIndex((part) => moduleId.includes(part));
      return rank < 0 ? long.length : rank;
    };
    return (await super.sort(files)).sort((one, other) => rankOf(one) - rankOf(other));
  }
}
