export type StatusTone = "good" | "bad" | "warn" | "busy" | "idle";

/** A word and a dot: a state is never told by the colour alone. */
export const StatusDot = ({ tone, text }: { tone: StatusTone; text: string }) => (
  <span className={`status status-${tone}`}>
    <span className="status-dot" aria-hidden="true" />
    {text}
  </span>
);
