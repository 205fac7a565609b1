import { expect, test } from "vitest";
import { createCaller } from "../support/processes/http-caller.ts";
import { firstRunOf, runProgram, startServer } from "../support/processes/server-process.ts";
import { cleanUpLater, temporaryFolder } from "../support/stores.ts";

// Contract, section 1: "on the operator's machine, beside a running server or not."
test("an operator's command works beside a busy server, and locks a person out at once", async () => {
  const home = temporaryFolder();
  const server = await startServer(home);
  cleanUpLater(() => server.kill());
  const first = firstRunOf(home);
  const target = ["--region", "us", "--home", home, "--json"];
  let isOver = false;

  const loops = (apiKey: string, onAnswer: (startedAfter: boolean, outcome: string) => void) =>
    Array.from({ length: 16 }, async (_, loop) => {
      const caller = createCaller(server.port);
      for (let i = 0; !isOver; i++) {
        const startedAfter = isAcknowledged;
        const body = { label: `key ${loop}-${i}` };
        const answer = await caller.call("auth/keys/create", body, { authorization: `Bearer :${apiKey}` });
        onAnswer(startedAfter, answer.status === 200 ? "200" : `${answer.status} ${answer.body.code}`);
      }
      caller.close();
    });

  let isAcknowledged = false;
  const owners: string[] = [];
  const owner = loops(first.api_key, (_, outcome) => owners.push(outcome));
  const created = await runProgram([
    "users",
    "create",
    "--email",
    "leaver@example.com",
    "--organization",
    first.organization_id,
    ...target,
  ]);
  expect(created).toMatchObject({ code: 0 });
  const leaver = JSON.parse(created.output) as { user_id: string; api_key: string };

  const late: string[] = [];
  let isLocked: () => void = () => {};
  const locked = new Promise<void>((resolve) => {
    isLocked = resolve;
  });
  const theirs = loops(leaver.api_key, (startedAfter, outcome) => {
    if (startedAfter && late.push(outcome) === 100) isLocked();
  });
  const deactivated = await runProgram(["users", "deactivate", "--user", leaver.user_id, ...target]);
  isAcknowledged = true;
  expect(deactivated).toMatchObject({ code: 0 });
  expect(JSON.parse(deactivated.output)).toMatchObject({ user_id: leaver.user_id, active: false });
  await locked;
  isOver = true;
  await Promise.all([...owner, ...theirs]);

  // R4: "after deactivation is acknowledged, no new request by that user succeeds"; and nobody else noticed anything.
  expect(new Set(late)).toEqual(new Set(["401 owner_deactivated"]));
  expect(new Set(owners)).toEqual(new Set(["200"]));
  expect(await runProgram(["audit", "verify", ...target])).toMatchObject({ code: 0 });
});
