import { idAt } from "../../../src/kernel/ids.ts";
import type { Store } from "../../../src/store/db.ts";

export interface ManyDeliveries {
  organizationId: string | null;
  webhookId: string;
  count: number;
  status: "pending" | "delivered" | "failed";
  /** When they were announced, and when the pending ones are due. */
  at: string;
  /** Distinguishes their ids from those of others. */
  name?: string;
}

/** Deliveries as a long outage leaves them, put into the store in one statement. */
export async function insertDeliveries(store: Store, many: ManyDeliveries): Promise<void> {
  const { organizationId, webhookId, count, status, at, name = "0" } = many;
  const number = store.kind === "sqlite" ? "printf('%07d', i)" : "lpad(i::text, 7, '0')";
  await store.transaction((db) =>
    db.query(
      `with recursive numbers(i) as (select 1 union all select i + 1 from numbers where i < $1)
       insert into deliveries (id, organization_id, webhook_id, event_id, type, body, status, attempts, send_at, claim, created_at)
       select $2 || ${number}, $3, $4, 'evt_us_' || i, 'run.failed', '{"type":"run.failed"}', $5, 1, $6, 1, $7
         from numbers`,
      [
        count,
        idAt("delivery", "us", new Date(at)) + name,
        organizationId,
        webhookId,
        status,
        status === "pending" ? at : null,
        at,
      ],
    ),
  );
}
