import type { Known, ReportedLimits } from "../reported/reported-limits.ts";
import { emptyState, type LimitRecord, type States, type SubjectState } from "../state/limit-row.ts";
import { expire, recordOf } from "../state/reservations.ts";
import { halfOf, isPartOf, isSharedByAll, type KeyedDemand, nameIn, subjectIn } from "../state/row-keys.ts";
import type { Waiting } from "../waiting/shared-waiters.ts";
import { type LimitState, type Measured, measure, shownTo, type Viewer } from "./shown-limits.ts";

export type LimitOfConnection = LimitState & { connectionId: string };

export type RowMeasure = Measured & { subject: string; name: string; now: number };

/** One limit of one row of the store. */
interface Row {
  subject: string;
  state: SubjectState;
  record: LimitRecord;
  now: number;
}

/** Where the list comes from. */
export interface ListSources {
  reported: ReportedLimits;
  read(subjects: readonly string[]): Promise<{ states: States; now: number }>;
  waitingFor(subject: string): Promise<Waiting[]>;
  uses(projectId: string): Promise<{ connectionId: string; subject: string }[]>;
}

/**
 * Limits as one project sees them. Of waiting calls it sees its own, and the number of the organization's others. Of a limit that
 * all organizations share, it sees the part of its own organization.
 */
export function createLimitList({ reported, read, waitingFor, uses }: ListSources) {
  async function stateOf(demands: readonly KeyedDemand[], viewer: Viewer): Promise<LimitState[]> {
    const { now, states } = await read(subjectsOf(await mayBeRead(demands, viewer)));
    const shown: LimitState[] = [];
    for (const demand of demands) {
      const state = expired(states.get(demand.subject), now);
      const record = recordOf(state, demand, now);
      if (!mayBeShown(demand.subject, record, viewer)) continue;
      shown.push(show({ subject: demand.subject, state, record, now }, viewer, await waitingFor(demand.subject)));
    }
    return shown;
  }

  async function mayBeRead(demands: readonly KeyedDemand[], { projectId }: Viewer): Promise<KeyedDemand[]> {
    if (demands.every(({ onceAuthorized }) => !onceAuthorized)) return [...demands];
    const met = new Set((await uses(projectId)).map(({ subject }) => subject));
    return demands.filter(({ subject, onceAuthorized }) => !onceAuthorized || met.has(subject));
  }

  async function ofProject(viewer: Viewer): Promise<LimitOfConnection[]> {
    const { projectId } = viewer;
    const reports = reported.ofProject(projectId);
    const met = [
      ...(await uses(projectId)),
      ...reports.map(({ connectionId, known: { subject } }) => ({ connectionId, subject })),
    ];
    const { now, states } = await read(subjectsOf(met));
    const shown: LimitOfConnection[] = [];
    for (const [subject, here] of Map.groupBy(met, (each) => each.subject)) {
      const state = expired(states.get(subject), now);
      addReported(
        state,
        reports.map(({ known }) => known).filter((known) => known.subject === subject),
      );
      const waiting = await waitingFor(subject);
      for (const connectionId of new Set(here.map((each) => each.connectionId))) {
        for (const record of state.limits.values()) {
          if (!mayBeShown(subject, record, viewer)) continue;
          shown.push({ connectionId, ...show({ subject, state, record, now }, viewer, waiting) });
        }
      }
    }
    return shown;
  }

  /** Every limit of these rows, by the names of the rows: for the history, which nobody sees as it is. */
  async function ofRows(subjects: readonly string[]): Promise<RowMeasure[]> {
    const { now, states } = await read(subjects);
    const reports = reported.ofSubjects(new Set(subjects));
    const measured: RowMeasure[] = [];
    for (const subject of subjects) {
      const state = expired(states.get(subject), now);
      addReported(
        state,
        reports.filter((known) => known.subject === subject),
      );
      for (const record of state.limits.values()) {
        const { name } = record;
        measured.push({ subject, name, now, ...measureNow({ subject, state, record, now }) });
      }
    }
    return measured;
  }

  function show(row: Row, viewer: Viewer, waiting: readonly Waiting[]): LimitState {
    const { subject, record } = row;
    const name = nameIn(record.name);
    return { subject: subjectIn(subject), name, ...measureNow(row), ...shownTo(viewer, record.name, waiting) };
  }

  /** A reported limit may be newer in this process than in the row. */
  function measureNow({ subject, state, record, now }: Row): Measured {
    const { name } = record;
    const known = record.kind === "reported" ? reported.find(subject, name) : undefined;
    const newer =
      known && record.kind === "reported" && known.record.resetsAt >= record.resetsAt ? known.record : record;
    return measure(state, isSharedByAll(subject) ? alone(state, newer) : newer, now, known?.reserved);
  }

  return { stateOf, ofProject, ofRows };
}

const mayBeShown = (subject: string, { name }: LimitRecord, { organizationId }: Viewer): boolean =>
  !isSharedByAll(subject) || isPartOf(name, organizationId);

/** The organization's part while no other organization calls. The current part would reveal what the others use. */
function alone(state: SubjectState, part: LimitRecord): LimitRecord {
  const whole = state.limits.get(nameIn(part.name));
  return whole?.max == null ? part : { ...part, max: halfOf(whole.max) };
}

const subjectsOf = (things: readonly { subject: string }[]): string[] =>
  [...new Set(things.map(({ subject }) => subject))].sort();

function expired(state: SubjectState | undefined, now: number): SubjectState {
  const current = state ?? emptyState();
  expire(current, now);
  return current;
}

function addReported(state: SubjectState, reports: readonly Known[]): void {
  for (const { record } of reports) if (!state.limits.has(record.name)) state.limits.set(record.name, record);
}
