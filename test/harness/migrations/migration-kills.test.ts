import { expect } from "vitest";
import { testShort } from "../frame/short.ts";
import { migrationKills } from "./migration-kills.ts";

testShort(migrationKills, "a migration that is killed half way is completed by the next start", ({ faults }) => {
  expect(faults).toBe(1);
});
