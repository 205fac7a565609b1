import { Badge } from "@mantine/core";

const words: Record<string, [text: string, tone: string]> = {
  queued: ["Queued", "busy"],
  running: ["Running", "busy"],
  waiting: ["Waiting", "warn"],
  succeeded: ["Succeeded", "good"],
  failed: ["Failed", "bad"],
  cancelled: ["Cancelled", "info"],
  outcome_unknown: ["Outcome unknown", "warn"],
  skipped: ["Skipped", "info"],
};

/** How a run or a step stands, in words. */
export function RunStatus({ status }: { status: string }) {
  const [text, tone] = words[status] ?? [status, "info"];
  return (
    <Badge tt="none" className={`tone-${tone} no-shrink`}>
      {text}
    </Badge>
  );
}
