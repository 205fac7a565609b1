import { type ReactNode, useEffect, useRef } from "react";

interface PageProps {
  title: string;
  /** One sentence that says what the page is for. */
  lead?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** The place of actions that depend on the person's role, until it is known: below a narrow heading they take a line. */
export const ActionsToCome = () => <div className="actions-to-come" aria-hidden="true" />;

/** A page: its heading receives the focus after a change of route, so that screen readers and keys start there. */
export function Page({ title, lead, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Signalbox`;
  }, [title]);
  useEffect(() => {
    if (document.activeElement === document.body || document.activeElement === null) heading.current?.focus();
  }, []);
  return (
    <div className="page">
      <div className="page-head">
        <div className="page-titles">
          <h1 ref={heading} tabIndex={-1} className="page-title" dir="auto">
            {title}
          </h1>
          {lead ? (
            <p className="page-lead" dir="auto">
              {lead}
            </p>
          ) : null}
        </div>
        {actions ? <div className="actions">{actions}</div> : null}
      </div>
      {children}
    </div>
  );
}
