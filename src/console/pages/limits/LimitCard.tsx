import { paths } from "../../paths.ts";
import { AppLink } from "../../shell/AppLink.tsx";
import { useProject } from "../../state/use-project.ts";
import { Bars } from "../../ui/charts/Bars.tsx";
import { Gauge } from "../../ui/charts/Gauge.tsx";
import { StateBadge } from "../../ui/StateBadge.tsx";
import { Time } from "../../ui/times/Time.tsx";
import {
  at,
  belongsTo,
  forecastOf,
  type History,
  type Limit,
  number,
  standingOf,
  titleOf,
  windowOf,
} from "./describe-limit.ts";

interface LimitCardProps {
  limit: Limit;
  history: History | undefined;
}

/** One limit: its gauge, its last hours, who waits, and what will become of it. */
export function LimitCard({ limit, history }: LimitCardProps) {
  const { max, used, reserved, resets_at } = limit;
  const title = titleOf(limit);
  const values = history ? withPresent(history, used) : [];
  return (
    <article className="limit" aria-label={title}>
      <div className="limit-line">
        <div>
          <div className="limit-title">{title}</div>
          <div className="more-line anywhere">
            {windowOf(limit)}
            {belongsTo(limit) ? ` · ${belongsTo(limit)}` : ""}
          </div>
        </div>
        <Standing limit={limit} />
      </div>
      {max === null ? null : <Gauge label={`${title}: used`} used={used} reserved={reserved} max={max} />}
      <Numbers limit={limit} />
      {history && max !== null && busiestOf(values) > 0 ? (
        <div>
          <Bars
            label={`${title}: use from ${at(history.since)} until now, at most ${number.format(busiestOf(values))}`}
            values={values}
            max={max}
          />
          <div className="limit-line">
            <span className="more-line">{at(history.since)}</span>
            <span className="more-line">now</span>
          </div>
        </div>
      ) : null}
      <div>
        {forecastOf(limit, history)}
        {resets_at && used > 0 && limit.left !== 0 && limit.kind !== "calendar" ? (
          <span className="soft">
            {" "}
            {limit.kind === "window" ? "The next call is free" : "Refills"} <Time at={resets_at} />.
          </span>
        ) : null}
      </div>
      <Waiting limit={limit} />
    </article>
  );
}

/** The gauge is read more often than the history: both show the same present. */
const withPresent = ({ used }: History, present: number): (number | null)[] => [
  ...used.slice(0, -1),
  Math.max(used.at(-1) ?? 0, present),
];

const busiestOf = (values: (number | null)[]): number => Math.max(0, ...values.map((count) => count ?? 0));

function Standing({ limit }: { limit: Limit }) {
  const standing = standingOf(limit);
  if (standing === "used up") return <StateBadge tone="bad" text="Used up" />;
  if (standing === "waited for") return <StateBadge tone="warn" text="Runs wait" />;
  if (standing === "close") return <StateBadge tone="warn" text="Close" />;
  return null;
}

function Numbers({ limit: { max, used, reserved, left } }: { limit: Limit }) {
  return (
    <div className="limit-numbers">
      <Count count={used - reserved} word="used" />
      {reserved > 0 ? <Count count={reserved} word="reserved" /> : null}
      {left === null ? null : <Count count={left} word="left" />}
      {max === null ? null : <span className="soft limit-max">of {number.format(max)}</span>}
    </div>
  );
}

const Count = ({ count, word }: { count: number; word: string }) => (
  <span>
    <b>{number.format(count)}</b> {word}
  </span>
);

const shownWaiting = 5;

function Waiting({ limit: { waiting, waiting_others } }: { limit: Limit }) {
  const projectId = useProject();
  if (waiting.length + waiting_others === 0) return null;
  const more = waiting.length - shownWaiting;
  return (
    <div>
      <div className="limit-title">Waiting for it</div>
      <ul className="short-list">
        {waiting.slice(0, shownWaiting).map(({ run_id, since }) => (
          <li key={`${run_id} ${since}`}>
            <AppLink to={paths.run(projectId, run_id)} className="link mono anywhere">
              {run_id}
            </AppLink>
            <span className="soft fact-end">
              since <Time at={since} />
            </span>
          </li>
        ))}
      </ul>
      {more > 0 ? <div className="soft">and {number.format(more)} more of this project</div> : null}
      {waiting_others > 0 ? (
        <div className="soft">
          {number.format(waiting_others)} {waiting_others === 1 ? "call" : "calls"} of other projects
        </div>
      ) : null}
    </div>
  );
}
