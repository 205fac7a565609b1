import { dashOf, type Series, seriesColor } from "./series.ts";

/** Which line or bar is which; nothing where there is only one. */
export function ChartLegend({ series, kind }: { series: Series[]; kind: "line" | "bar" }) {
  if (series.length < 2) return null;
  return (
    <ul className="chart-legend" aria-label="Legend">
      {series.map(({ key, label }, index) => (
        <li key={key}>
          <svg width="22" height="10" aria-hidden="true">
            {kind === "line" ? (
              <line
                x1="0"
                x2="22"
                y1="5"
                y2="5"
                stroke={seriesColor(index)}
                strokeWidth="2.5"
                strokeDasharray={dashOf(index)}
              />
            ) : (
              <rect x="6" width="10" height="10" rx="2" fill={seriesColor(index)} />
            )}
          </svg>
          <span dir="auto">{label}</span>
        </li>
      ))}
    </ul>
  );
}
