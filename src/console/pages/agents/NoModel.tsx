import type { ReactNode } from "react";
import { Notice } from "../../ui/Notice.tsx";

interface NoModelProps {
  /** What is missing in the settings of the server, in its own words. */
  missing: string;
  /** What works until then. */
  children: ReactNode;
}

/** This server has no model for the agent. Only its operator can change that. */
export const NoModel = ({ missing, children }: NoModelProps) => (
  <Notice tone="warn" title="No model is set up">
    <div>Ask the operator of this server to set one up. {children}</div>
    <details>
      <summary className="summary">For the operator</summary>
      <div className="anywhere">{missing}</div>
    </details>
  </Notice>
);
