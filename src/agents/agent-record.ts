import type { AgentCaps, Approval } from "./loop/plan.ts";

/** Which event starts which tool, with which params. */
export interface Rule {
  on: string;
  tool_id: string;
  /** Values may hold {{ event… }}. Without params, the run gets the event itself. */
  params?: Record<string, unknown> | undefined;
}

/** A step that an agent may use, and the connection that it uses. */
export interface AllowedStep {
  step: string;
  connection_id: string;
}

export type Signature = "required" | "off";

export interface Agent extends AgentCaps {
  id: string;
  organizationId: string;
  projectId: string;
  name: string;
  instructions: string;
  tools: string[];
  steps: AllowedStep[];
  model: string | null;
  approval: Approval;
  rules: Rule[];
  signature: Signature;
  paused: boolean;
  sealed: string;
  /** The person on whose behalf it acts on events: who created it, or changed it last. */
  runAs: string;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
}
