import { Title } from "@mantine/core";
import type { InboxItem } from "../../state/use-inbox.ts";
import type { Names } from "../runs/use-names.ts";
import { AccountItem } from "./AccountItem.tsx";
import { DeliveriesItem } from "./DeliveriesItem.tsx";
import { titleOf } from "./item-words.ts";
import { RunItem } from "./RunItem.tsx";

interface ItemViewProps {
  item: InboxItem;
  names: Names;
  /** The item needs nobody any more. */
  onDone: () => void;
}

/** One item: what happened, and what can be done. */
export function ItemView({ item, names, onDone }: ItemViewProps) {
  return (
    <div className="inbox-item">
      <Title order={2} size="h4" id="inbox-item" tabIndex={-1} dir="auto" className="anywhere" mb="sm">
        {titleOf(item, names)}
      </Title>
      {item.kind === "account" ? <AccountItem account={item.account} /> : null}
      {item.kind === "deliveries" ? <DeliveriesItem failure={item.failure} onDone={onDone} /> : null}
      {item.kind === "unknown" || item.kind === "approval" ? <RunItem runId={item.run.run_id} onDone={onDone} /> : null}
    </div>
  );
}
