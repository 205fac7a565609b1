/** What a step returned, and when. */
interface TimedOutput {
  output: unknown;
  at: string;
  /** The newest run of the tool at that time: what a later one returned is newer. Two clocks are never compared. */
  afterRun: string | null;
}

/** What this browser keeps of a step: what it returned when it was run alone, and what a person pinned. */
interface KeptOutput {
  alone?: TimedOutput;
  pinned?: TimedOutput & { isOfRun?: boolean };
}

export type KeptOutputs = Readonly<Record<string, KeptOutput>>;

/** The part of a run that matters here. */
export interface LastRun {
  run_id: string;
  steps: readonly {
    name: string;
    status: string;
    output?: unknown;
    large_output?: unknown;
    finished_at?: string | null | undefined;
  }[];
}

/** The output that the steps after it can use. */
export interface StepOutput {
  output: unknown;
  at: string | null;
  from: "run" | "alone" | "pin";
  /** Of a pinned one: the step has returned something since. */
  hasNewer: boolean;
}

export const keptCharactersMax = 200_000;

/** More than this is not kept in the browser. */
export const isTooLarge = (kept: KeptOutputs): boolean => JSON.stringify(kept).length > keptCharactersMax;

/** The newest output of each step, unless a person pinned one. */
export function outputsOf(run: LastRun | undefined, kept: KeptOutputs): Record<string, StepOutput> {
  const outputs: Record<string, StepOutput> = {};
  for (const { name, status, output, large_output, finished_at } of run?.steps ?? []) {
    if (status !== "succeeded" || large_output) continue;
    outputs[name] = { output, at: finished_at ?? null, from: "run", hasNewer: false };
  }
  for (const [name, { alone, pinned }] of Object.entries(kept)) {
    const isNewerThanRun = ({ afterRun }: TimedOutput) => outputs[name] === undefined || afterRun === run?.run_id;
    if (pinned) {
      const hasNewer = !isNewerThanRun(pinned) || (alone !== undefined && alone.at > pinned.at);
      outputs[name] = { output: pinned.output, at: pinned.at, from: "pin", hasNewer };
    } else if (alone && isNewerThanRun(alone)) {
      outputs[name] = { output: alone.output, at: alone.at, from: "alone", hasNewer: false };
    }
  }
  return outputs;
}

export const withAlone = (kept: KeptOutputs, name: string, alone: TimedOutput): KeptOutputs => ({
  ...kept,
  [name]: { ...kept[name], alone },
});

/** What is pinned needs no second copy. */
export const withPin = (kept: KeptOutputs, name: string, pinned: NonNullable<KeptOutput["pinned"]>): KeptOutputs => ({
  ...kept,
  [name]: { pinned },
});

export function withoutPin(kept: KeptOutputs, name: string): KeptOutputs {
  const { [name]: { pinned, ...rest } = {}, ...others } = kept;
  // Without a newer one, what was pinned stays usable, as what the step returned last. A run has its own copy.
  const alone = rest.alone ?? (pinned?.isOfRun ? undefined : pinned);
  return alone ? { ...others, [name]: { alone } } : others;
}

/** A renamed step keeps what is known of it. */
export function renamed(kept: KeptOutputs, from: string, to: string): KeptOutputs {
  const { [from]: moved, ...others } = kept;
  return moved && from !== to ? { ...others, [to]: moved } : kept;
}
