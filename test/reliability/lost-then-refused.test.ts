import { expect, test } from "vitest";
import { startPlatform } from "../support/platform.ts";
import { type Loss, lose, nameOf, type OurSystem, systems, writesOf } from "./lose-write.ts";
import type { Ends } from "./write-case.ts";

/*
 * The writes of lost-writes/ once more: the system carries them out and returns an error, or half of its answer comes and
 * the repeat is refused. "What does a repeat of it answer, and what does the caller learn?"
 */

const failed: Record<OurSystem, Loss> = {
  marketing: { status: 500, body: "Internal Server Error" },
  deployment: { status: 500, body: { error: { code: "internal_server_error", message: "Ordered." } } },
  analytics: { status: 500, body: { error: { code: 500, status: "INTERNAL", message: "Ordered." } } },
};
const refused: Record<OurSystem, Loss> = {
  marketing: { body: { success: false, errors: [{ code: "603", message: "Access denied" }] } },
  deployment: { status: 403, body: { error: { code: "forbidden", message: "Ordered." } } },
  analytics: { status: 403, body: { error: { code: 403, status: "PERMISSION_DENIED", message: "Ordered." } } },
};

test.each(systems)(
  "a write to %s that was carried out and returned 500 ends like one whose response was lost",
  async (system) => {
    const platform = await startPlatform("sqlite");
    const seen: [string, readonly unknown[]][] = [];
    const wanted: [string, Ends][] = [];
    for (const write of writesOf(system)) {
      const { match, came } = await lose(platform, write, { ...failed[system], applied: true });
      seen.push([nameOf(match), came]);
      wanted.push([nameOf(match), write.ends]);
    }
    expect(seen).toEqual(wanted);
  },
  240_000,
);

/** The repeat brings no success: what a look finds then, a person else. */
const endsRefused = ([times, end]: Ends): Ends =>
  end === "repeated" ? [times, "asked"] : end === "gone" ? [times, "found"] : [times, end];

test.each(systems)(
  "a write to %s that was carried out and sent half of its response has not failed because its repeat is refused",
  async (system) => {
    const platform = await startPlatform("sqlite");
    const seen: [string, readonly unknown[]][] = [];
    const wanted: [string, Ends][] = [];
    for (const write of writesOf(system)) {
      const { match, came } = await lose(platform, write, { drop: "after", half: true }, refused[system]);
      seen.push([nameOf(match), came]);
      wanted.push([nameOf(match), endsRefused(write.ends)]);
    }
    expect(seen).toEqual(wanted);
  },
  240_000,
);

test.each(systems)(
  "a write to %s that was cut off before it arrived, and whose repeat is refused, is left open or known not to have happened",
  async (system) => {
    const platform = await startPlatform("sqlite", { settleSeconds: 0 });
    for (const write of writesOf(system)) {
      const { given, match, came } = await lose(platform, write, { drop: "before" }, refused[system]);
      const [times, end] = came;
      // The next ones build on it.
      await platform.run(write.step, given);
      expect([nameOf(match), times]).toEqual([nameOf(match), write.before[0]]);
      expect(["asked", "did not"], nameOf(match)).toContain(end);
    }
  },
  240_000,
);
