import type { ReactNode } from "react";

/** What is known of a thing: a name and a value in each line. */
export const Facts = ({ rows }: { rows: [name: string, value: ReactNode][] }) => (
  <dl className="facts-list">
    {rows.map(([name, value]) => (
      <div key={name}>
        <dt>{name}</dt>
        <dd dir="auto" className="anywhere">
          {value}
        </dd>
      </div>
    ))}
  </dl>
);
