import { useEffect, useState } from "react";
import { useRead } from "../../../state/use-read.ts";
import { onlyAccount, useConnectionsRead } from "./AccountSelect.tsx";

type Add = (stepId: string, connectionId: string | undefined) => void;

/**
 * Adds steps with the account that they act as: the only usable one of their system. A step that is chosen before the accounts are
 * known waits for them, because nothing would choose its account later.
 */
export function useStepToAdd(add: Add) {
  const [wanted, setWanted] = useState<readonly string[]>([]);
  const connections = useConnectionsRead();
  const steps = useRead("/latest/steps/list", { limit: 100 }, { staleTime: 600_000 });
  // One that cannot be read is not waited for: then a person chooses the account.
  const isKnown = !connections.isPending && !steps.isPending;
  const [next] = wanted;
  useEffect(() => {
    if (next === undefined || !isKnown) return;
    setWanted((all) => all.slice(1));
    const system = steps.data?.results.find(({ step_id }) => step_id === next)?.system ?? undefined;
    add(next, onlyAccount(connections.data?.results, system));
  });
  return {
    want: (stepId: string) => setWanted((all) => [...all, stepId]),
    /** A step is chosen and not added yet. */
    isWaiting: next !== undefined,
    /** A step that is chosen now is added at once. */
    isKnown,
  };
}
