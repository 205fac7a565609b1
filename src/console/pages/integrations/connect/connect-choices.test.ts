import { expect, test } from "vitest";
import type { SystemRecord } from "../accounts/describe-account.ts";
import { instancesOf } from "./connect-choices.ts";

const offers = (live: string | null, sandbox: string | null) =>
  ({
    vendor: "Vercel",
    instances: [
      { instance: "live", available: true, reason: live },
      { instance: "sandbox", available: sandbox === null, reason: sandbox },
    ],
  }) as SystemRecord;

test("what the operator has not set is kept apart, and no choice is explained by names of settings", () => {
  const missing = "No pop-up: the operator has not set `SIGNALBOX_A` and `SIGNALBOX_B`.";
  const [live, sandbox] = instancesOf(
    offers(missing, "No sandbox runs beside this server (`SIGNALBOX_SANDBOXES`)."),
    true,
  );
  expect(live).toMatchObject({ whyNot: null, missing: missing.replaceAll("`", "") });
  expect(sandbox).toMatchObject({ whyNot: "No sandbox runs beside this server.", missing: null });
  expect(instancesOf(offers(null, null), true).map((each) => [each.whyNot, each.missing])).toEqual([
    [null, null],
    [null, null],
    [null, null],
  ]);
});
