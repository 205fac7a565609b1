import { Text } from "@mantine/core";
import { type KeyboardEvent, useRef } from "react";
import { StatusDot } from "../../ui/StatusDot.tsx";
import { type Deployment, environmentWord, stateFilters, stateOf } from "./read-deployment.ts";

interface DeploymentTimelineProps {
  rows: Deployment[];
  since: number;
  onOpen: (deployment: Deployment) => void;
}

const ticks = [0, 0.25, 0.5, 0.75, 1];
const dayFormat = new Intl.DateTimeFormat(undefined, { month: "short", day: "numeric" });
const hourFormat = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const wholeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** A lane for each project, a mark for each deployment. Arrow keys move between marks, Enter opens one. */
export function DeploymentTimeline({ rows, since, onOpen }: DeploymentTimelineProps) {
  const box = useRef<HTMLDivElement>(null);
  const until = Math.max(Date.now(), ...rows.map(({ createdAt }) => createdAt));
  const span = Math.max(1, until - since);
  const lanes = lanesOf(rows);
  const format = span <= 2 * 86_400_000 ? hourFormat : dayFormat;
  const move = (event: KeyboardEvent, lane: number, index: number) => {
    const at = lanes[lane]?.marks[index]?.createdAt ?? 0;
    const nearest = (other: number) => {
      const marks = lanes[other]?.marks ?? [];
      const near = marks.reduce((best, mark, here) => {
        const known = marks[best]?.createdAt ?? 0;
        return Math.abs(mark.createdAt - at) < Math.abs(known - at) ? here : best;
      }, 0);
      return `${other}-${near}`;
    };
    const target = {
      ArrowLeft: `${lane}-${index - 1}`,
      ArrowRight: `${lane}-${index + 1}`,
      ArrowUp: nearest(lane - 1),
      ArrowDown: nearest(lane + 1),
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    box.current?.querySelector<HTMLElement>(`[data-mark="${target}"]`)?.focus();
  };
  return (
    <section className="lanes" ref={box} aria-label="Timeline of deployments by project">
      <div className="lane lane-axis" aria-hidden="true">
        <span />
        <div className="lane-line">
          {ticks.map((part) => (
            <span key={part} className="lane-tick" style={{ left: `${part * 100}%` }}>
              {part === 1 ? "now" : format.format(since + part * span)}
            </span>
          ))}
        </div>
      </div>
      {lanes.map(({ project, marks }, lane) => (
        <div key={project} className="lane">
          <Text size="sm" fw={600} truncate dir="auto" title={project}>
            {project}
          </Text>
          <div className="lane-line lane-marks">
            {marks.map((mark, index) => (
              <button
                key={mark.id}
                type="button"
                data-mark={`${lane}-${index}`}
                tabIndex={lane === 0 && index === marks.length - 1 ? 0 : -1}
                className={`mark status-${stateOf(mark.state).tone} ${mark.environment === "production" ? "mark-live" : ""}`}
                style={{ left: `${(Math.max(0, mark.createdAt - since) / span) * 100}%` }}
                aria-label={nameOf(mark)}
                title={nameOf(mark)}
                onKeyDown={(event) => move(event, lane, index)}
                onClick={() => onOpen(mark)}
              />
            ))}
          </div>
        </div>
      ))}
      <div className="lane-legend" aria-hidden="true">
        {Object.values(stateFilters).map(({ label, states: [first = ""] }) => (
          <StatusDot key={label} tone={first === "QUEUED" ? "busy" : stateOf(first).tone} text={label} />
        ))}
        <span className="status">
          <span className="mark mark-live mark-sample" />
          Production
        </span>
      </div>
    </section>
  );
}

const nameOf = ({ project, state, environment, branch, createdAt }: Deployment): string =>
  [project, stateOf(state).text, environmentWord(environment), branch, wholeFormat.format(createdAt)]
    .filter(Boolean)
    .join(", ");

/** Projects with their deployments, oldest first; the project that was deployed last stands above. */
function lanesOf(rows: Deployment[]): { project: string; marks: Deployment[] }[] {
  const byProject = new Map<string, Deployment[]>();
  for (const row of rows) byProject.set(row.project, [row, ...(byProject.get(row.project) ?? [])]);
  return [...byProject].map(([project, marks]) => ({
    project,
    marks: marks.sort((a, b) => a.createdAt - b.createdAt),
  }));
}
