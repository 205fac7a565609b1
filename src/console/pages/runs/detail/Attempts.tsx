import { Stack, Text } from "@mantine/core";
import { type KeyboardEvent, useId, useRef } from "react";
import { useSearchState } from "../../../state/use-search-state.ts";
import { useShownRows } from "../../../ui/rows/shown-rows.ts";
import { duration } from "../../../ui/times/duration.ts";
import type { Attempt, StepOfRun } from "../describe-status.ts";
import { RequestAndResponse } from "./RequestAndResponse.tsx";
import { noticedMs, waitBefore } from "./request-waits.ts";

const rowPixels = 36;

/** The requests of a step, in order. A step may have thousands, so only those on screen exist; the chosen one is in the address. */
export function Attempts({ step }: { step: StepOfRun }) {
  const { attempts } = step;
  const [chosenText, setChosen] = useSearchState("attempt");
  const box = useRef<HTMLDivElement>(null);
  const id = useId();
  const { first, end } = useShownRows(attempts.length, rowPixels, { box });
  if (attempts.length === 0) return null;
  // Without a choice the last attempt is shown: it says how the step ended.
  const chosen = Math.max(0, Math.min(attempts.length, Number(chosenText) || attempts.length) - 1);
  const choose = (index: number) => {
    setChosen(String(index + 1));
    showRow(box.current, index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const next = { ArrowDown: chosen + 1, ArrowUp: chosen - 1, Home: 0, End: attempts.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    if (next >= 0 && next < attempts.length) choose(next);
  };
  const attempt = attempts[chosen];
  return (
    <Stack gap="sm">
      <Text size="sm" fw={600}>
        {attempts.length === 1 ? "1 request" : `${attempts.length.toLocaleString()} requests`}
        {step.attempts_omitted ? `, and more in ${step.attempts_omitted} rounds that are not shown here` : ""}
      </Text>
      <div
        ref={box}
        className="attempts"
        role="listbox"
        aria-label={`Requests of ${step.name}`}
        aria-activedescendant={`${id}-${chosen}`}
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div style={{ height: attempts.length * rowPixels, position: "relative" }} role="presentation">
          {Array.from({ length: end - first }, (_, at) => first + at).map((index) => (
            <AttemptRow
              key={index}
              id={`${id}-${index}`}
              attempt={attempts[index] as Attempt}
              waited={waitBefore(attempts[index] as Attempt, attempts[index - 1])}
              number={index + 1}
              total={attempts.length}
              isChosen={index === chosen}
              start={index * rowPixels}
              onChoose={() => choose(index)}
            />
          ))}
        </div>
      </div>
      {attempt ? <RequestAndResponse attempt={attempt} /> : null}
    </Stack>
  );
}

function showRow(box: HTMLElement | null, index: number): void {
  if (!box) return;
  const [highest, lowest] = [index * rowPixels, (index + 1) * rowPixels - box.clientHeight];
  if (box.scrollTop > highest) box.scrollTop = highest;
  else if (box.scrollTop < lowest) box.scrollTop = lowest;
}

interface AttemptRowProps {
  id: string;
  attempt: Attempt;
  /** Before it was sent, in milliseconds. */
  waited: number;
  number: number;
  total: number;
  isChosen: boolean;
  start: number;
  onChoose: () => void;
}

function AttemptRow({ id, attempt, waited, number, total, isChosen, start, onChoose }: AttemptRowProps) {
  const { request, response, problem, ms } = attempt;
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: the list that holds it has the focus and takes the keys.
    <div
      id={id}
      role="option"
      aria-selected={isChosen}
      aria-posinset={number}
      aria-setsize={total}
      tabIndex={-1}
      className="attempt"
      style={{ height: rowPixels, transform: `translateY(${start}px)` }}
      onClick={onChoose}
    >
      <span className="attempt-number">{number}</span>
      <span className="attempt-request">
        <b>{request.method}</b> {pathOf(request.url)}
      </span>
      {waited >= noticedMs ? <span className="attempt-wait">waited {duration(waited)}</span> : null}
      <span className={`attempt-status status-${toneOfAttempt(attempt)}`}>
        {response ? response.status : problem ? "no response" : "…"}
      </span>
      <span className="attempt-time">{ms === undefined ? "" : duration(ms)}</span>
    </div>
  );
}

function pathOf(url: string): string {
  const from = url.indexOf("/", url.indexOf("://") + 3);
  return from < 0 ? url : url.slice(from);
}

function toneOfAttempt({ response, problem }: Attempt): "good" | "bad" | "warn" | "idle" {
  if (response) return response.status < 400 ? "good" : response.status === 429 ? "warn" : "bad";
  return problem ? "bad" : "idle";
}
