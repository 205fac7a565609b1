import { Bar, BarChart, CartesianGrid, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import type { Rows } from "./rows.ts";

const colors = ["var(--accent)", "var(--warn)", "var(--good)", "var(--bad)"];

/** Rows as lines over dates, or as bars by their first column. */
export function RowsChart({ rows: { names, numbers, items } }: { rows: Rows }) {
  const axis = names.find((name) => !numbers.includes(name));
  if (axis === undefined) return null;
  const shown = numbers.slice(0, colors.length);
  const isDates = items.every((item) => /^\d{4}-?\d{2}-?\d{2}/.test(String(item[axis])));
  const data = isDates ? items.toSorted((a, b) => (String(a[axis]) < String(b[axis]) ? -1 : 1)) : items;
  const parts = [
    <CartesianGrid key="grid" stroke="var(--line)" vertical={false} />,
    <XAxis key="x" dataKey={axis} stroke="var(--soft)" fontSize={12} />,
    <YAxis key="y" stroke="var(--soft)" fontSize={12} width={56} />,
    <Tooltip key="tip" contentStyle={{ background: "var(--paper)", borderColor: "var(--line)" }} />,
  ];
  return (
    <div className="chart" role="img" aria-label={`Chart of ${shown.join(", ")} by ${axis}`}>
      <ResponsiveContainer width="100%" height="100%">
        {isDates ? (
          <LineChart data={data}>
            {parts}
            {shown.map((name, index) => (
              <Line
                key={name}
                dataKey={name}
                stroke={colors[index] ?? "var(--accent)"}
                dot={false}
                isAnimationActive={false}
              />
            ))}
          </LineChart>
        ) : (
          <BarChart data={data}>
            {parts}
            {shown.map((name, index) => (
              <Bar key={name} dataKey={name} fill={colors[index] ?? "var(--accent)"} isAnimationActive={false} />
            ))}
          </BarChart>
        )}
      </ResponsiveContainer>
    </div>
  );
}
