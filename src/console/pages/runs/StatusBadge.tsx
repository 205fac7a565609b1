import { toneOf, wordOf } from "./status.ts";

/** The status of a run or step: a word and a dot, never the colour alone. */
export const StatusBadge = ({ status }: { status: string }) => (
  <span className={`status status-${toneOf(status)}`}>
    <span className="status-dot" aria-hidden="true" />
    {wordOf(status)}
  </span>
);
