export type StatusTone = "good" | "bad" | "warn" | "busy" | "idle";

/** A word and a dot: colour alone never carries a state. */
export const StatusDot = ({ tone, text }: { tone: StatusTone; text: string }) => (
  <span className={`status status-${tone}`}>
    <span className="status-dot" aria-hidden="true" />
    {text}
  </span>
);
