import type { Changes } from "./changes.ts";
import type { Faults } from "./faults.ts";
import type { Sandbox } from "./sandbox.ts";

/** One call that a sandbox received; `at` is the machine's time, whatever the sandbox's clock says. `status` 0: no answer yet, or never. */
export interface RequestLine {
  at: string;
  method: string;
  path: string;
  status: number;
  identity: string | null;
  /** Of a call that is part of a W3C trace. */
  traceparent?: string;
}

/** What the control API works on: the sandbox, the faults that wait, the calls so far, and who hears of changes. */
export interface ControlState {
  sandbox: Sandbox;
  faults: Faults;
  requests: RequestLine[];
  changes: Changes;
}
