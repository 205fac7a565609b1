import { expect, inject, test } from "vitest";
import { findProgram } from "../../support/runner/find-program.ts";
import { newPostgresDatabase, temporaryFolder } from "../../support/stores.ts";
import { CannotRun, type Findings, type Harness, type StoreKind } from "./harness.ts";

/** Debian's packages that are not called like their program. */
const packages: Record<string, string> = { prlimit: "util-linux", umount: "mount" };

/** What the harness needs, and what is neither here nor can be installed. It is printed: a test that is skipped has shown nothing. */
export const missingFor = ({ name, needs = [] }: Harness): string[] =>
  needs.filter((each) => findProgram(each, packages[each] ?? each, `the harness \`${name}\` is not run`) === "");

/**
 * The short version of a harness as a test of `npm test`, one for each store: the same code with fewer cycles. Without its
 * programs it is skipped. `more` checks that it has really done something.
 */
export function testShort(harness: Harness, promise: string, more: (findings: Findings) => void): void {
  const missing = missingFor(harness);
  for (const store of harness.stores.filter((each) => each !== "both")) {
    const isSkipped = store === "postgres" && inject("postgresUrl") === null;
    test.skipIf(isSkipped)(
      `${harness.id}, ${store}: ${promise}`,
      async (context) => {
        if (missing.length > 0) return context.skip(`Not run, because this machine lacks ${missing.join(" and ")}.`);
        const findings = await runShort(harness, store).catch((error: unknown) => {
          if (error instanceof CannotRun) return context.skip(error.message);
          throw error;
        });
        expect(findings.broken).toEqual([]);
        expect([findings.lost ?? 0, findings.doubled ?? 0]).toEqual([0, 0]);
        more(findings);
      },
      300_000,
    );
  }
}

/** A seed by chance, so that many runs of the tests see many; the harness repeats it in what it reports as broken. */
async function runShort(harness: Harness, store: StoreKind): Promise<Findings> {
  const seed = Math.floor(Math.random() * 1e6);
  const findings = await harness.run({
    ...{ seed, cycles: harness.shortCycles, store, isShort: true, folder: temporaryFolder() },
    log: () => {},
    newDatabase: () => newPostgresDatabase("template0"),
  });
  return { ...findings, broken: findings.broken.map((sentence) => `seed ${seed}: ${sentence}`) };
}
