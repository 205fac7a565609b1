interface BarsProps {
  /** What is drawn, in a sentence. */
  label: string;
  /** Null: not known. */
  values: (number | null)[];
  /** The height of the whole; larger values are cut. */
  max: number;
}

const height = 40;
const step = 10;

/** A small chart of values over time, one bar each. */
export function Bars({ label, values, max }: BarsProps) {
  const heightOf = (value: number) => (max > 0 ? Math.max(3, (height * Math.min(value, max)) / max) : 0);
  return (
    <svg
      className="bars"
      viewBox={`0 0 ${values.length * step} ${height}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={label}
    >
      {values.map((value, index) =>
        value === null || value === 0 ? null : (
          <rect
            // biome-ignore lint/suspicious/noArrayIndexKey: a bar is its place in time.
            key={index}
            x={index * step + 1}
            width={step - 2}
            y={height - heightOf(value)}
            height={heightOf(value)}
            className={value >= max ? "bar-full" : "bar"}
          />
        ),
      )}
    </svg>
  );
}
