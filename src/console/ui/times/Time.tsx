/** A moment for people: how long ago, with the whole date and time zone for those who point at it. */
export function Time({ at, exact = false }: { at: string | null | undefined; exact?: boolean }) {
  if (!at) return <span>–</span>;
  const date = new Date(at);
  return (
    <time
      dateTime={at}
      className="time"
      // Written when it is asked for: a long list has hundreds.
      onMouseEnter={({ currentTarget }) => {
        currentTarget.title = wholeFormat.format(date);
      }}
    >
      {exact ? wholeFormat.format(date) : relative(date, Date.now())}
    </time>
  );
}

const wholeFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
const dayFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });
const ago = new Intl.RelativeTimeFormat(undefined, { numeric: "auto" });

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ["day", 86_400],
  ["hour", 3600],
  ["minute", 60],
];

function relative(date: Date, now: number): string {
  const seconds = (date.getTime() - now) / 1000;
  if (Math.abs(seconds) > 7 * 86_400) return dayFormat.format(date);
  for (const [unit, size] of units) {
    if (Math.abs(seconds) >= size) return ago.format(Math.round(seconds / size), unit);
  }
  return ago.format(Math.round(seconds), "second");
}
