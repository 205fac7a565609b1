import type { SentThen } from "../../../src/systems/made-then.ts";

/** A write that was sent then, and that the system had two and a half minutes to carry out. */
export const sentThen = (askedAt: Date = new Date(), seconds = 150): SentThen => ({
  askedAt,
  latestAt: new Date(askedAt.getTime() + seconds * 1000),
});
