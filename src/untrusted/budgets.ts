/** How much work each organization may still ask for: a token bucket each, in milliseconds of CPU time. */
export interface Budgets {
  hasLeft(organizationId: string): boolean;
  spend(organizationId: string, milliseconds: number): void;
  /** Until something is left, 0 where there is. */
  secondsUntilLeft(organizationId: string): number;
  /** Forgets the budgets that are full again: they are what a new one would be. */
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
    // It may go below zero by one job, which is paid back before the next.
    spend: (organizationId, milliseconds) =>
      void spent.set(organizationId, { left: leftOf(organizationId) - milliseconds, at: now() }),
    secondsUntilLeft: (organizationId) => Math.max(0, -leftOf(organizationId)) / coresEach / 1000,
    forgetFull() {
      for (const organizationId of spent.keys()) if (leftOf(organizationId) >= full) spent.delete(organizationId);
    },
    size: () => spent.size,
  };
}
