import type { ShownRecord, StepRecord } from "../../runs/journal/journal.ts";
import { readLarge } from "../../runs/record/large-outputs.ts";
import type { Db } from "../../store/db.ts";
import type { TokenUse } from "../models/model.ts";
import { modelStep } from "./journal-positions.ts";

/** The tokens that the model of a run used in all its turns. */
export interface TokensUsed extends TokenUse {
  turns: number;
}

/** The tokens of all turns that were answered. */
export function tokensUsed(records: readonly Pick<StepRecord, "stepId" | "output">[]): TokensUsed {
  const sum: TokensUsed = { turns: 0, input_tokens: 0, output_tokens: 0 };
  for (const { stepId, output } of records) {
    const usage = stepId === modelStep ? (output as { usage?: TokenUse } | null)?.usage : undefined;
    if (!usage) continue;
    sum.turns++;
    sum.input_tokens += usage.input_tokens;
    sum.output_tokens += usage.output_tokens;
    if (usage.estimated) sum.estimated = true;
  }
  return sum;
}

/** The same where the model's output is large. Reads one output at a time: together they are too large. */
export async function readTokensUsed(db: Db, records: readonly ShownRecord[]): Promise<TokensUsed> {
  const counted: Pick<StepRecord, "stepId" | "output">[] = [];
  for (const record of records) {
    const said = record.stepId === modelStep && record.large ? await readLarge(db, record.runId, record) : null;
    counted.push(said ? { stepId: modelStep, output: { usage: (said as { usage?: TokenUse }).usage } } : record);
  }
  return tokensUsed(counted);
}
