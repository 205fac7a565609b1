import type { Demand } from "../systems/define.ts";
import type { Waiting } from "./limits-board.ts";
import { type LimitState, measure, shownTo } from "./limits-shown.ts";
import { emptyState, type LimitRecord, type SubjectState } from "./limits-state.ts";
import type { Known, ToldBook } from "./limits-told.ts";
import type { States } from "./limits-visit.ts";
import { lapse, recordOf } from "./limits-weigh.ts";

export type LimitOfConnection = LimitState & { connectionId: string };

/** What a list is made from. */
export interface ListSources {
  book: ToldBook;
  read(subjects: readonly string[]): Promise<{ states: States; now: number }>;
  waitingFor(subject: string): Promise<Waiting[]>;
  uses(projectId: string): Promise<{ connectionId: string; subject: string }[]>;
}

/** Limits as they stand. Of those who wait, a project sees its own, and of others how many. */
export function createLimitList({ book, read, waitingFor, uses }: ListSources) {
  async function stateOf(demands: readonly Demand[], projectId: string | null): Promise<LimitState[]> {
    const { now, states } = await read(subjectsOf(demands));
    const shown: LimitState[] = [];
    for (const demand of demands) {
      const state = lapsed(states.get(demand.subject), now);
      const record = recordOf(state, demand, now);
      shown.push(show(demand.subject, state, record, now, projectId, await waitingFor(demand.subject)));
    }
    return shown;
  }

  async function ofProject(projectId: string): Promise<LimitOfConnection[]> {
    const told = book.ofProject(projectId);
    const met = [
      ...(await uses(projectId)),
      ...told.map(({ connectionId, known: { subject } }) => ({ connectionId, subject })),
    ];
    const { now, states } = await read(subjectsOf(met));
    const shown: LimitOfConnection[] = [];
    for (const [subject, here] of Map.groupBy(met, (each) => each.subject)) {
      const state = lapsed(states.get(subject), now);
      addTold(
        state,
        told.map(({ known }) => known).filter((known) => known.subject === subject),
      );
      const waiting = await waitingFor(subject);
      for (const connectionId of new Set(here.map((each) => each.connectionId))) {
        for (const record of state.limits.values()) {
          shown.push({ connectionId, ...show(subject, state, record, now, projectId, waiting) });
        }
      }
    }
    return shown;
  }

  /** What is told is known in the row, or newer in this process. */
  function show(
    subject: string,
    state: SubjectState,
    record: LimitRecord,
    now: number,
    projectId: string | null,
    waiting: readonly Waiting[],
  ): LimitState {
    const { name } = record;
    const known = record.kind === "told" ? book.find(subject, name) : undefined;
    const newer = known && record.kind === "told" && known.record.resetsAt >= record.resetsAt ? known.record : record;
    return { subject, name, ...measure(state, newer, now, known?.flying), ...shownTo(projectId, name, waiting) };
  }

  return { stateOf, ofProject };
}

const subjectsOf = (things: readonly { subject: string }[]): string[] =>
  [...new Set(things.map(({ subject }) => subject))].sort();

function lapsed(state: SubjectState | undefined, now: number): SubjectState {
  const current = state ?? emptyState();
  lapse(current, now);
  return current;
}

function addTold(state: SubjectState, told: readonly Known[]): void {
  for (const { record } of told) if (!state.limits.has(record.name)) state.limits.set(record.name, record);
}
