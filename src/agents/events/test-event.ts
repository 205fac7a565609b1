import { randomBase62 } from "../../kernel/random.ts";
import { nextTurn } from "../../kernel/work-in-slices.ts";
import { writeInSlices } from "../../kernel/write-in-slices.ts";
import type { Db } from "../../store/db.ts";
import { usualSignature } from "../../systems/event-senders.ts";
import type { DataKeys } from "../../vault/sealing/data-keys.ts";
import type { Agent } from "../agents.ts";
import { openAgentSecrets, signatureOf } from "../webhook-secrets.ts";
import type { EventCall } from "./receive-event.ts";

/** A signed request to an agent's address, as its sender would make it. The body says that it is a test. */
export async function testCall(
  db: Db,
  agent: Agent,
  event: { type: string; payload: Record<string, unknown> },
  { keys, now }: { keys: DataKeys; now: Date },
): Promise<EventCall> {
  const secrets = await openAgentSecrets(db, agent, keys);
  const body = { id: `test_${randomBase62(20)}`, type: event.type, createdAt: now.getTime(), test: true };
  const bytes = Buffer.from(await writeInSlices({ ...body, payload: event.payload }));
  await nextTurn();
  return {
    agentId: agent.id,
    token: secrets.token,
    headers: { [usualSignature.header]: await signatureOf(bytes, usualSignature, secrets) },
    readBytes: () => Promise.resolve(bytes),
  };
}
