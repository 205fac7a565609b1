import { createHmac } from "node:crypto";
import { expect, test } from "vitest";
import { type AgentSecrets, isSigned } from "./webhook-secrets.ts";

/** "Nothing that a tenant chooses may take more than 50 ms of the event loop": each registered account adds a secret to try. */
test("a large event is compared with very many secrets without keeping the event loop", async () => {
  const registered = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`con_${index}`, `secret ${index}`]));
  const secrets: AgentSecrets = { token: "t", own: [], given: [], registered };
  const bytes = Buffer.alloc(1024 * 1024, "x");
  const signedWith = (secret: string) => ({
    scheme: { header: "x-signature", hash: "sha256" as const },
    value: createHmac("sha256", secret).update(bytes).digest("hex"),
  });
  let turns = 0;
  const watching = setInterval(() => turns++, 0);
  expect(await isSigned(bytes, signedWith("secret 99"), secrets, new Date())).toBe(true);
  clearInterval(watching);
  expect(turns).toBeGreaterThan(2);
  expect(await isSigned(bytes, signedWith("another"), secrets, new Date())).toBe(false);
});
