import type { InboxItem } from "../../state/use-inbox.ts";
import type { Names } from "../runs/use-names.ts";

export const kindWords: Record<InboxItem["kind"], string> = {
  unknown: "Outcome unknown",
  approval: "Approval",
  account: "Account",
  deliveries: "Failed deliveries",
};

export function titleOf(item: InboxItem, names: Names): string {
  if (item.kind === "account") return `Reconnect ${item.account.label}`;
  if (item.kind === "deliveries") return hostOf(item.failure.url);
  return names.of(item.run);
}

export function reasonOf(item: InboxItem): string {
  switch (item.kind) {
    case "unknown":
      return item.run.problem?.detail ?? "A write was sent, and its response was lost.";
    case "approval":
      return item.run.waiting_for?.detail ?? "A run asks before it continues.";
    case "account":
      return item.account.state_reason ?? "Its system refuses the stored sign-in.";
    case "deliveries":
      return item.failure.failed === 1
        ? "1 event could not be delivered."
        : `${item.failure.failed} events could not be delivered.`;
  }
}

const hostOf = (url: string): string => URL.parse(url)?.host ?? url;
