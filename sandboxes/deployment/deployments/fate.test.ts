import { expect, test } from "vitest";
import { fateOf } from "./fate.ts";

test.each([
  [["web", "main"], { end: "ready", isSlow: false, aliasFails: false }],
  [["web", "fix/it-fails"], { end: "error", isSlow: false, aliasFails: false }],
  [["failsafe", "main"], { end: "ready", isSlow: false, aliasFails: false }],
  [["slow-site", undefined], { end: "ready", isSlow: true, aliasFails: false }],
  [["web", "blocked/by-seat"], { end: "blocked", isSlow: false, aliasFails: false }],
  [["alias-error", null], { end: "ready", isSlow: false, aliasFails: true }],
])("names %j decide how a build goes", (names, fate) => expect(fateOf(names)).toEqual(fate));
