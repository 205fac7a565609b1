import type { ReactNode } from "react";

export type Tone = "bad" | "warn" | "good" | "info";

interface NoticeProps {
  tone: Tone;
  title?: string;
  children: ReactNode;
  action?: ReactNode;
}

/** A sentence that needs attention, what to do about it, and a button where one helps. */
export const Notice = ({ tone, title, children, action }: NoticeProps) => (
  <div className={`notice notice-${tone}`} role={tone === "bad" ? "alert" : "status"}>
    {title ? <div className="notice-title">{title}</div> : null}
    <div className="notice-line">
      <div className="notice-text">{children}</div>
      {action}
    </div>
  </div>
);
