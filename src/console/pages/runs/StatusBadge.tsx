import { StatusDot } from "../../ui/StatusDot.tsx";
import { toneOf, wordOf } from "./describe-status.ts";

/** The status of a run or step: a word and a dot, never the colour alone. */
export const StatusBadge = ({ status }: { status: string }) => (
  <StatusDot tone={toneOf(status)} text={wordOf(status)} />
);
