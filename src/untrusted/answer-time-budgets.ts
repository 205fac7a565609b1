/** What is left of an organization's time in the event loop for its large answers. They are there already, so they are only charged. */
export type AnswerTime = Pick<Budgets, "hasLeft" | "spend" | "secondsUntilLeft">;

/** A token bucket per organization, in milliseconds of CPU time. */
export interface Budgets {
  hasLeft(organizationId: string): boolean;
  spend(organizationId: string, milliseconds: number): void;
  /** 0 if something is left. */
  secondsUntilLeft(organizationId: string): number;
  /** Removes full buckets: a new one would be the same. */
  forgetFull(): void;
  size(): number;
}

export function createBudgets(
  { burstSeconds, coresEach }: { burstSeconds: number; coresEach: number },
  now: () => number,
): Budgets {
  const full = burstSeconds * 1000;
  const spent = new Map<string, { left: number; at: number }>();

  function leftOf(organizationId: string): number {
    const kept = spent.get(organizationId);
    return kept ? Math.min(full, kept.left + (now() - kept.at) * coresEach) : full;
  }

  return {
    hasLeft: (organizationId) => leftOf(organizationId) > 0,
    // One job may bring it below zero; refilling makes up for that before the next job.
    spend: (organizationId, milliseconds) =>
      void spent.set(organizationId, { left: leftOf(organizationId) - milliseconds, at: now() }),
    secondsUntilLeft: (organizationId) => Math.max(0, -leftOf(organizationId)) / coresEach / 1000,
    forgetFull() {
      for (const organizationId of spent.keys()) if (leftOf(organizationId) >= full) spent.delete(organizationId);
    },
    size: () => spent.size,
  };
}
