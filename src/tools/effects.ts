import { steps } from "../systems/index.ts";
import type { ToolDefinition } from "./definition.ts";

/** What the steps of a tool do. Waiting and asking a person change nothing in other systems. */
export const effectsOf = ({ steps: parts }: ToolDefinition) =>
  parts.map((part) => steps.find(({ id }) => id === part.step)?.effect ?? "read");
