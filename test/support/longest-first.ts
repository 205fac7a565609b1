import { BaseSequencer, type TestSpecification } from "vitest/node";

/** These take a minute or more, mostly waiting: started last, they would delay the whole run. */
const long = ["/test/kill-loop/", "/test/journeys/sign-in.test.ts", "/src/cli/connections.test.ts"];

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => long.some((part) => moduleId.includes(part));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}
