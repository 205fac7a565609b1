/** Requests to an agent's address whose signature did not fit. */
export interface Refused {
  count: number;
  lastAt: string;
}

export interface Refusals {
  note(agentId: string): void;
  of(agentId: string): Refused | null;
}

const agentsMax = 1_000;

/**
 * Counted in memory, since this process started: nothing that an unknown sender does may fill the store. The agent
 * whose last refusal is oldest is forgotten first.
 */
export function createRefusals(now: () => Date): Refusals {
  const byAgent = new Map<string, Refused>();
  return {
    note(agentId) {
      const count = (byAgent.get(agentId)?.count ?? 0) + 1;
      byAgent.delete(agentId);
      byAgent.set(agentId, { count, lastAt: now().toISOString() });
      if (byAgent.size > agentsMax) byAgent.delete(byAgent.keys().next().value ?? "");
    },
    of: (agentId) => byAgent.get(agentId) ?? null,
  };
}
