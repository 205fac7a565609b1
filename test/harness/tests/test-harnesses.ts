import type { Harness } from "../frame/harness.ts";
import { ofTests } from "./of-tests.ts";

/** H6 to H12: their short versions are tests of `npm test`. */
export const testHarnesses: readonly Harness[] = [
  ofTests({
    id: "H6",
    name: "bad-upstream",
    title: "systems that answer late, in part, wrongly, too much or never; limits counted at the system",
    fullCycles: 16,
    files: [
      "test/attacks/hostile-answers.test.ts",
      "test/reliability/lost-answers.test.ts",
      "test/attacks/limits.test.ts",
      "src/transport",
    ],
  }),
  ofTests({
    id: "H7",
    name: "histories",
    title: "calls at the same moment: one effect for a key, one open invite, an admin left, no call after deactivation",
    fullCycles: 10,
    files: ["test/concurrency/idempotency.test.ts", "test/concurrency"],
  }),
  ofTests({
    id: "H8",
    name: "model",
    title: "random stories beside a second, simple implementation of the access rules",
    fullCycles: 2000,
    files: ["test/model/access-model.test.ts"],
    environment: (cycles) => ({ SIGNALBOX_MODEL_RUNS: String(cycles) }),
  }),
  ofTests({
    id: "H9",
    name: "contract-fuzz",
    title: "every operation with generated bodies and headers; it returns only declared answers",
    fullCycles: 5,
    files: [
      "src/http/contract-fuzz.test.ts",
      "src/http/authorization-fuzz.test.ts",
      "test/attacks/hostile-input.test.ts",
    ],
  }),
  ofTests({
    id: "H10",
    name: "raw-http",
    title: "requests that are no proper HTTP: conflicting lengths, bare line feeds, large headers, slow senders",
    fullCycles: 5,
    files: ["test/attacks/http-edge.test.ts", "src/http/raw-socket.test.ts", "src/http/request-shape.test.ts"],
  }),
  ofTests({
    id: "H11",
    name: "scim",
    title: "the requirements and quirks of SCIM 2.0 and its clients",
    fullCycles: 2,
    files: ["test/attacks/scim.test.ts", "src/scim"],
  }),
  ofTests({
    id: "H12",
    name: "corpora",
    title: "known attacks: addresses (SSRF), SAML, sign-in, tenants, expressions, webhooks",
    fullCycles: 2,
    files: ["test/ssrf/ssrf.test.ts", "test/attacks", "src/identity/sso"],
  }),
];
