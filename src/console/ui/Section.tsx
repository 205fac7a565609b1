import type { ReactNode } from "react";

interface SectionProps {
  title: string;
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A titled part of a page, in plain elements: every page has several. */
export const Section = ({ title, lead, actions, children }: SectionProps) => (
  <section className="section" aria-label={title}>
    <div className="section-head">
      <div className="section-titles">
        <h2 className="section-title">{title}</h2>
        {lead ? <p className="section-lead">{lead}</p> : null}
      </div>
      {actions ? <div className="actions">{actions}</div> : null}
    </div>
    {children}
  </section>
);
