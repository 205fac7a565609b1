import { beforeEach, describe, expect, test } from "vitest";
import { answerJson, type Handle, type Rogue, startRogue } from "../../test/support/systems/rogue.ts";

const cancel = { method: "PATCH", path: "/v12/deployments/dpl_1/cancel" };
const failing = (status: number, headers?: Record<string, string>): Handle =>
  answerJson(status, { error: { code: "internal_server_error", message: "boom" } }, headers);
const cutOff: Handle = (_, response) => void response.destroy();
const halfAnAnswer: Handle = (_, response) => {
  response.writeHead(200, { "content-type": "application/json", "content-length": "100" });
  response.write('{"uid":');
  setImmediate(() => response.destroy());
};
const brokenAnswer: Handle = (_, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end('{"uid":');
};

/** A deployment that is being built. Each write is answered by the next of these, the last one for good. */
function building(rogue: Rogue, ...tries: Handle[]): { state: string } {
  const deployment = { state: "BUILDING" };
  let sent = 0;
  rogue.says((request, response) => {
    if (request.method === "GET")
      return answerJson(200, { uid: "dpl_1", readyState: deployment.state })(request, response);
    return tries[Math.min(sent++, tries.length - 1)]?.(request, response);
  });
  return deployment;
}

const writesTo = ({ arrived }: Rogue): number => arrived.filter((each) => each.startsWith("PATCH")).length;
const anHour = (): string => String(Math.floor(Date.now() / 1000) + 3600);

// "The outcome is what is known": a try that may have happened is not forgotten when a later one is refused or fails.
describe("a write that may be repeated, and whose first try may have happened", () => {
  let rogue: Rogue;
  beforeEach(async () => {
    rogue = await startRogue();
  });

  const denied = { policy: { rules: [{ effect: "deny", methods: ["PATCH"], reason: "Nothing is cancelled today." }] } };
  const meets: [string, (rogue: Rogue) => Handle[], sent: number, said: string][] = [
    [
      "our own limits",
      () => [failing(503, { "x-ratelimit-remaining": "0", "x-ratelimit-reset": anHour() })],
      1,
      "is used up",
    ],
    [
      "the policy of the connection",
      ({ call, connectionId }) => [afterwards(() => call(`connections/${connectionId}/update`, denied))],
      1,
      "cancelled today",
    ],
    [
      "that the account is removed",
      ({ call, connectionId }) => [afterwards(() => call(`connections/${connectionId}/remove`))],
      1,
      "removed",
    ],
    ["an error of the system", () => [cutOff, failing(500)], 3, "boom"],
    ["that the account may not do it any longer", () => [halfAnAnswer, failing(403)], 2, "boom"],
    ["that its token is refused", () => [brokenAnswer, failing(401)], 2, "boom"],
    ["a limit of the system", () => [cutOff, failing(429, { "retry-after": "120" })], 2, "boom"],
    ["no answer either", () => [cutOff], 3, "response"],
  ];
  const afterwards =
    (change: () => Promise<unknown>): Handle =>
    async (_, response) => {
      await change();
      response.destroy();
    };

  test.each(meets)("has an unknown outcome if the repeat meets %s", async (_, meet, sent, said) => {
    building(rogue, ...meet(rogue));
    const { body } = await rogue.api(cancel, { wait_seconds: 1 });
    expect({ status: body.status, code: body.problem?.code, sent: writesTo(rogue) }).toEqual({
      status: "outcome_unknown",
      code: "outcome_unknown",
      sent,
    });
    expect(body.problem.detail).toContain("PATCH /v12/deployments/dpl_1/cancel was sent");
    expect(body.problem.detail).toContain(said);
  });

  // "Nothing that the system has applied is sent again where a look can tell."
  test.each([
    ["an error", failing(500)],
    ["half an answer", halfAnAnswer],
    ["a broken answer", brokenAnswer],
    ["no answer", cutOff],
  ])("is not sent again if the system has applied it and sent %s", async (_, answer) => {
    const deployment = building(rogue, (request, response) => {
      deployment.state = "CANCELED";
      return answer(request, response);
    });
    const { body } = await rogue.api(cancel);
    expect(body).toMatchObject({ status: "succeeded", output: { body: { readyState: "CANCELED" } } });
    expect(writesTo(rogue)).toBe(1);
  });

  test("succeeds if it took effect later, and the repeat is refused for that", async () => {
    const refusal = answerJson(400, { error: { code: "bad_request", message: "It is CANCELED." } });
    const deployment = building(rogue, cutOff, (request, response) => {
      deployment.state = "CANCELED";
      return refusal(request, response);
    });
    const { body } = await rogue.api(cancel);
    expect(body).toMatchObject({ status: "succeeded", output: { body: { readyState: "CANCELED" } } });
    expect(writesTo(rogue)).toBe(2);
  });

  test("is refused if the system does not accept the very request, and a look shows no effect", async () => {
    building(rogue, cutOff, answerJson(400, { error: { code: "bad_request", message: "No such field." } }));
    const { body } = await rogue.api(cancel);
    expect(body).toMatchObject({ status: "failed", problem: { code: "invalid_there" } });
  });

  test.each([
    ["deployment_api_call", cancel],
    ["cancel_deployment", { deployment_id: "dpl_1" }],
  ])(
    "has not happened if the system ends every try with an error, and a look shows no effect: %s",
    async (step, input) => {
      building(rogue, failing(500));
      const { body } = await rogue.call(`steps/${step}/run`, { connection_id: rogue.connectionId, input });
      expect(body).toMatchObject({ status: "failed", problem: { code: "system_unavailable", retry: "later" } });
      expect(body.problem.detail).toContain("boom The system shows that the write did not happen.");
      expect(writesTo(rogue)).toBe(3);
    },
  );

  test("has an unknown outcome if only a gateway says so: the system may still be working on it", async () => {
    building(rogue, failing(502));
    const { body } = await rogue.api(cancel, { wait_seconds: 1 });
    expect([body.status, writesTo(rogue)]).toEqual(["outcome_unknown", 3]);
    expect(body.problem.detail).toContain("Signalbox checks the system again");
  });

  test("says that the success is the response to a repeat", async () => {
    building(rogue, failing(500), answerJson(200, { uid: "dpl_1", readyState: "CANCELED" }));
    const { body } = await rogue.api(cancel);
    expect([body.status, body.warnings]).toEqual([
      "succeeded",
      [
        "The first response was an error of the system, so the request was sent again. This is the response to the repeat.",
      ],
    ]);
  });
});
