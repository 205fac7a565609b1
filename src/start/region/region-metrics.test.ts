import { expect, test } from "vitest";
import { queueTool, worldOf } from "../../../test/support/runs/runs.ts";
import { describeOnBothStores } from "../../../test/support/stores.ts";
import { startTeam } from "../../../test/support/team.ts";
import { createMetrics } from "../../http/metrics.ts";
import { measuredStore } from "../../store/measured-store.ts";
import { showRegions } from "./region-metrics.ts";

describeOnBothStores("the metrics of a region", (kind) => {
  test("count what waits, and say so if the store is away", async () => {
    const team = await startTeam(kind);
    const metrics = createMetrics();
    const world = worldOf(team);
    await queueTool(world, { title: "A tool", params_schema: { type: "object" }, steps: [wait] });
    team.advance(90);
    const read = async () => (await metrics.text()).text;
    let away = false;
    const store = measuredStore(team.store, metrics.meterOf("us"));
    const refused = () => Promise.reject(new Error("away"));
    const context = {
      ...team.context,
      store: {
        ...store,
        querySlow: (...given: Parameters<typeof store.querySlow>) => (away ? refused() : store.querySlow(...given)),
      },
    };
    showRegions(metrics, () => [context as typeof team.context]);
    const first = await read();
    for (const line of [
      'signalbox_store_up{region="us"} 1',
      'signalbox_runs{region="us",status="queued"} 1',
      'signalbox_runs{region="us",status="outcome_unknown"} 0',
      'signalbox_webhook_deliveries_pending{region="us"} 0',
      'signalbox_mails_waiting{region="us"} 0',
    ]) {
      expect(first).toContain(line);
    }
    expect(Number(/oldest_queued_seconds\{region="us"\} (\S+)/.exec(first)?.[1])).toBeGreaterThanOrEqual(90);
    away = true;
    // "Gauges that need the store are … cached for some seconds": however often somebody looks, the store is asked once.
    expect(await read()).toContain('signalbox_store_up{region="us"} 1');
    const later = createMetrics();
    showRegions(later, () => [context as typeof team.context]);
    const { text } = await later.text();
    expect(text).toContain('signalbox_store_up{region="us"} 0');
    expect(text).not.toContain("signalbox_runs{");
  });
});

const wait = { name: "wait", step: "wait", input: { seconds: 60 } };
