import type { AgentCaps, Approval } from "./loop/plan.ts";

/** Which event starts which tool, with which params. */
export interface Rule {
  on: string;
  tool_id: string;
  /** Values may hold {{ event… }}; without it the event itself is what the run is given. */
  params?: Record<string, unknown> | undefined;
}

/** A step that an agent may use, and as whom. */
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
  /** On whose behalf it acts upon events: whoever made it, or changed it last. */
  runAs: string;
  createdBy: string;
  createdAt: string;
  updatedAt: string;
}
