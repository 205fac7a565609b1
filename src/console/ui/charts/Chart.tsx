import { Bar, BarChart, CartesianGrid, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import { dashOf, type Series, seriesColor } from "./series.ts";

export interface ChartProps {
  /** What it shows, for people who do not see it. */
  label: string;
  kind: "line" | "bar";
  /** One object for each place on the axis. */
  data: Record<string, unknown>[];
  axis: string;
  series: Series[];
  format?: (value: number) => string;
  axisFormat?: (value: string) => string;
  isTall?: boolean;
}

const plainNumber = (value: number): string => value.toLocaleString();
const short = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });

/** Lines or bars. The library behind it is large: pages load this file when they draw the first chart. */
export function Chart(props: ChartProps) {
  const { label, kind, data, axis, series, format = plainNumber, axisFormat = String, isTall } = props;
  const parts = [
    <CartesianGrid key="grid" stroke="var(--line)" vertical={false} />,
    <XAxis
      key="x"
      dataKey={(point: Record<string, unknown>) => String(point[axis] ?? "")}
      tickFormatter={(value) => shorten(axisFormat(String(value)))}
      stroke="var(--line)"
      tick={{ fill: "var(--soft)" }}
      tickLine={false}
      fontSize={12}
      minTickGap={24}
    />,
    <YAxis
      key="y"
      tickFormatter={(value: number) => short.format(value)}
      axisLine={false}
      tickLine={false}
      tick={{ fill: "var(--soft)" }}
      fontSize={12}
      width={48}
    />,
    <Tooltip
      key="tip"
      cursor={{ fill: "var(--ground)", stroke: "var(--line)" }}
      contentStyle={{ background: "var(--paper)", borderColor: "var(--line)", borderRadius: 8, fontSize: 13 }}
      labelStyle={{ color: "var(--soft)" }}
      itemStyle={{ color: "var(--ink)" }}
      formatter={(value) => (typeof value === "number" ? format(value) : String(value ?? "–"))}
      labelFormatter={(value) => axisFormat(String(value))}
    />,
  ];
  const drawn = series.map(({ key, label: name }, index) => ({
    key,
    name,
    dataKey: (point: Record<string, unknown>) => point[key] as number,
    color: seriesColor(index),
    index,
  }));
  return (
    <div className={`chart ${isTall ? "chart-tall" : ""}`} role="img" aria-label={label}>
      <ResponsiveContainer width="100%" height="100%">
        {kind === "line" ? (
          <LineChart data={data} margin={{ top: 8, right: 12, bottom: 0, left: 0 }}>
            {parts}
            {drawn.map(({ key, name, dataKey, color, index }) => (
              <Line
                key={key}
                name={name}
                dataKey={dataKey}
                stroke={color}
                strokeWidth={2}
                strokeDasharray={dashOf(index)}
                dot={data.length <= 2}
                isAnimationActive={false}
              />
            ))}
          </LineChart>
        ) : (
          <BarChart data={data} margin={{ top: 8, right: 12, bottom: 0, left: 0 }}>
            {parts}
            {drawn.map(({ key, name, dataKey, color }) => (
              <Bar
                key={key}
                name={name}
                dataKey={dataKey}
                fill={color}
                maxBarSize={48}
                radius={[3, 3, 0, 0]}
                isAnimationActive={false}
              />
            ))}
          </BarChart>
        )}
      </ResponsiveContainer>
    </div>
  );
}

const shorten = (text: string): string => (text.length > 16 ? `${text.slice(0, 15)}…` : text);
