import type { Region } from "../../kernel/regions.ts";
import { growingTables } from "../../retention/growing-tables.ts";
import { readState } from "../../store/partitions/catalogue.ts";
import { monthAfter, monthName } from "../../store/partitions/months.ts";
import type { ReadOnlyStore } from "../../store/read-only-store.ts";
import type { Finding } from "./finding.ts";

/** Whether the growing tables are partitioned, and until which month. Rows after that still have a partition: the last one. */
export async function checkPartitions(store: ReadOnlyStore, region: Region): Promise<Finding[]> {
  if (store.kind === "sqlite") return [];
  const what = `partitions ${region}`;
  const until: Date[] = [];
  const whole: string[] = [];
  for (const table of growingTables(region)) {
    const state = await readState(store, table);
    if (state && !state.isPartitioned) whole.push(table.name);
    const end = state?.partitions.at(-1)?.from;
    if (end) until.push(end);
  }
  if (until.length + whole.length === 0) return [];
  const [first] = until.sort((a, b) => a.getTime() - b.getTime());
  if (!first) return [{ what, ok: true, detail: "tables are not partitioned (the default)" }];
  const last = monthName(monthAfter(first, -1));
  const detail = `tables are partitioned by month until ${last}`;
  if (whole.length > 0) {
    const remedy = `Run \`signalbox partition --region ${region}\` again: it continues with the others.`;
    return [{ what, ok: true, detail: `${detail}, without ${whole.join(", ")}`, remedy }];
  }
  if (first > new Date()) return [{ what, ok: true, detail }];
  const remedy = `Start a server of this version: it adds months every hour. Or run \`signalbox partition --region ${region}\`, which adds them now.`;
  return [{ what, ok: false, detail: `${detail}, which is over`, remedy }];
}
