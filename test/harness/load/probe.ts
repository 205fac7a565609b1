import { after } from "../../kill-loop/runs/any-node.ts";
import type { ClientWithDeadline } from "./client-with-deadline.ts";

const stepMilliseconds = 100;

/** A key of its own, which is revoked while two servers believe that they are the primary. */
export interface SpareKey {
  id: string;
  secret: string;
}

/** Asks each node whether it writes again, and whether it knows what was decided meanwhile. */
export class Probe {
  readonly problems: string[] = [];
  readonly #client: ClientWithDeadline;
  readonly #ports: readonly number[];
  #count = 0;

  constructor(client: ClientWithDeadline, ports: readonly number[]) {
    this.#client = client;
    this.#ports = ports;
  }

  /** Seconds until this node has written something. */
  async untilWritten(port: number): Promise<number> {
    const startedAt = performance.now();
    const viewer = { items: { platformDefault: { actions: { "role:viewer": true } } } };
    for (;;) {
      const email = `probe-${this.#count++}@example.org`;
      const answer = await this.#client.call(port, "auth/invite/create", { email, permissions: viewer });
      if (answer?.status === 200) return (performance.now() - startedAt) / 1000;
      if (answer !== null) this.problems.push(`A node answered a write with ${answer.status} ${answer.text}`);
      if (this.problems.length > 0) return Number.NaN;
      await after(stepMilliseconds);
    }
  }

  async newKey(): Promise<SpareKey> {
    const body = await this.#untilDone("auth/keys/create", { label: `probe-${this.#count++}` });
    return { id: String(body.key_id), secret: String(body.api_key) };
  }

  async revoke({ id }: SpareKey): Promise<void> {
    await this.#untilDone("auth/keys/revoke", { key_id: id });
  }

  /** "After a revocation is acknowledged, no request succeeds", whichever server a node reads from. */
  async mustBeRefused({ secret }: SpareKey): Promise<void> {
    const authorization = `Bearer :${secret}`;
    const asks = this.#ports.map(async (port) => {
      const answer = await this.#client.call(port, "auth/keys/list", {}, { authorization });
      if (answer === null || answer.body.code === "key_revoked") return;
      this.problems.push(`A node read a revoked key as another: ${answer.status} ${answer.text.slice(0, 200)}`);
    });
    await Promise.all(asks);
  }

  async #untilDone(operation: string, body: object): Promise<Record<string, unknown>> {
    const key = `probe-${this.#count++}`;
    for (let turn = 0; ; turn++) {
      const port = this.#ports[turn % this.#ports.length] ?? 0;
      const answer = await this.#client.call(port, operation, body, { "idempotency-key": key });
      if (answer?.status === 200) return answer.body;
      if (answer !== null && answer.body.code !== "idempotency_in_progress") {
        this.problems.push(`${operation} was answered ${answer.status} ${answer.text}`);
        return {};
      }
      await after(stepMilliseconds);
    }
  }
}
