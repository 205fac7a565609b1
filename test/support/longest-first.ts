import { BaseSequencer, type TestSpecification } from "vitest/node";

/** These take half a minute or more, many of them mostly waiting: started last, they would delay the whole run. */
const long = [
  "/test/kill-loop/",
  "/test/journeys/sign-in.test.ts",
  "/src/cli/connections.test.ts",
  "/test/attacks/hostile-",
  "/test/attacks/run-memory.test.ts",
  "/test/reliability/crash-of-a-node.test.ts",
  "/test/reliability/restore",
];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => long.some((part) => moduleId.includes(part));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
