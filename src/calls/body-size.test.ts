import { expect, test } from "vitest";
import { operations } from "../api/index.ts";
import { bodyBytesMaxOf } from "./body-size.ts";

test("a body is at most 64 KiB on projects, auth and organizations, and 4 MiB on steps, tools, agents and webhooks", () => {
  const own = ["/latest/tools/import"];
  for (const operation of operations) {
    const [, , first = ""] = operation.path.split("/");
    if (own.includes(operation.path)) continue;
    if (["projects", "auth", "organizations"].includes(first)) expect(bodyBytesMaxOf(operation)).toBe(64 * 1024);
    if (["steps", "tools", "agents", "webhooks"].includes(first)) {
      expect(bodyBytesMaxOf(operation)).toBe(4 * 1024 * 1024);
    }
  }
});
