import { Button, Skeleton } from "@mantine/core";
import { ReadDrawer } from "../../../shell/ReadDrawer.tsx";
import { useOnceTrue } from "../../../state/use-once-true.ts";
import { useProject } from "../../../state/use-project.ts";
import { useRead } from "../../../state/use-read.ts";
import { useRole } from "../../../state/use-who.ts";
import { Notice } from "../../../ui/Notice.tsx";
import { PolicyEditor } from "../policy/PolicyEditor.tsx";
import { AccountFacts } from "./AccountFacts.tsx";
import { AccountLimits } from "./AccountLimits.tsx";
import { AccountUses, useImpact } from "./AccountUses.tsx";
import type { Account } from "./describe-account.ts";
import { RemoveAccount } from "./RemoveAccount.tsx";

interface AccountDrawerProps {
  connectionId: string;
  onReconnect: (connectionId: string) => void;
  onClose: () => void;
}

/** Everything about one account. `?account=` opens it. */
export function AccountDrawer({ connectionId, onReconnect, onClose }: AccountDrawerProps) {
  const { may } = useRole(useProject());
  const read = useRead("/latest/connections/{connection_id}/get", { connection_id: connectionId }, { every: 15_000 });
  // What stands below them does not move: the parts appear together.
  const others = [useImpact(connectionId), useRead("/latest/limits/list", { limit: 100 })];
  const isWhole = useOnceTrue(others.every(({ data, error }) => data !== undefined || error !== null));
  return (
    <ReadDrawer title={read.data?.label ?? "Account"} size="48rem" read={read} onClose={onClose}>
      {(account) =>
        isWhole ? (
          <>
            <NotUsable account={account} onReconnect={may("editor") ? () => onReconnect(connectionId) : null} />
            <AccountFacts account={account} />
            <AccountUses connectionId={connectionId} />
            {account.state === "removed" ? null : (
              <>
                <AccountLimits account={account} />
                <PolicyEditor key={connectionId} account={account} />
                <RemoveAccount account={account} />
              </>
            )}
          </>
        ) : (
          <Skeleton height={400} aria-label="Loading" />
        )
      }
    </ReadDrawer>
  );
}

/** Why the account cannot be used, and the button that helps. */
function NotUsable({ account, onReconnect }: { account: Account; onReconnect: (() => void) | null }) {
  if (account.state === "connected") {
    if (account.health.ok !== false) {
      const { reason } = account.health;
      return reason === null ? null : (
        <Notice tone="warn" title="This account is connected, but something is missing">
          {reason}
        </Notice>
      );
    }
    return (
      <Notice tone="warn" title="The last check failed">
        {account.health.reason ?? "The system gave no reason."}
      </Notice>
    );
  }
  const isRemoved = account.state === "removed";
  return (
    <Notice
      tone={isRemoved ? "warn" : "bad"}
      title={isRemoved ? "This account was removed" : "This account needs reconnecting"}
      action={onReconnect ? <Button onClick={onReconnect}>Reconnect</Button> : null}
    >
      <div>{account.state_reason}</div>
      <div>
        {onReconnect
          ? "Steps that use it fail until it is reconnected."
          : "Steps that use it fail until an editor or admin of the project reconnects it."}
      </div>
    </Notice>
  );
}
