import type { RunRecord } from "../describe-status.ts";

export interface DecisionProps {
  run: RunRecord;
  /** Keys press the buttons: on a page with one decision at a time. */
  hasKeys?: boolean;
  onDone?: () => void;
}
