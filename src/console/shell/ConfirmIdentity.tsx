import { Suspense, useEffect, useState } from "react";
import { registerConfirmation } from "../state/confirmation.ts";
import { lazyWhenIdle } from "../ui/lazy-when-idle.ts";

const ConfirmIdentityDialog = lazyWhenIdle(
  async () => (await import("./ConfirmIdentityDialog.tsx")).ConfirmIdentityDialog,
);

/** "Is it still you?": some changes ask for the password again. The change continues afterwards. */
export function ConfirmIdentity() {
  const [settle, setSettle] = useState<((isConfirmed: boolean) => void) | null>(null);
  useEffect(() => registerConfirmation(() => new Promise((resolve) => setSettle(() => resolve))), []);
  if (settle === null) return null;
  const onDone = (isConfirmed: boolean) => {
    setSettle(null);
    settle(isConfirmed);
  };
  return (
    <Suspense>
      <ConfirmIdentityDialog onDone={onDone} />
    </Suspense>
  );
}
