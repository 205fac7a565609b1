import { lazy, Suspense } from "react";
import { useRead } from "../../state/use-read.ts";

const ConnectDialog = lazy(async () => ({
  default: (await import("../integrations/connect/ConnectDialog.tsx")).ConnectDialog,
}));

/** The dialog of the account's own page. It stays until it is closed: the item disappears as soon as the account is back. */
export function Reconnect({ connectionId, onClose }: { connectionId: string; onClose: () => void }) {
  const { data: systems } = useRead("/latest/systems/list", {}, { staleTime: 300_000 });
  if (!systems) return null;
  return (
    <Suspense>
      <ConnectDialog systems={systems.results} chosen={connectionId} onChoose={() => {}} onClose={onClose} />
    </Suspense>
  );
}
