import { Chart } from "../../../ui/charts/Chart.tsx";
import { dimensionText } from "../../reports/figures.ts";
import type { Rows } from "./rows-in-result.ts";

const shownMax = 4;

/** Rows as lines over dates, or as bars by their first column. */
export function RowsChart({ rows: { names, numbers, items } }: { rows: Rows }) {
  const axis = names.find((name) => !numbers.includes(name));
  if (axis === undefined) return null;
  const shown = numbers.slice(0, shownMax);
  const isDates = items.every((item) => /^\d{4}-?\d{2}-?\d{2}/.test(String(item[axis])));
  const data = isDates ? items.toSorted((a, b) => (String(a[axis]) < String(b[axis]) ? -1 : 1)) : items;
  return (
    <Chart
      label={`Chart of ${shown.join(", ")} by ${axis}`}
      kind={isDates ? "line" : "bar"}
      data={data}
      axis={axis}
      axisFormat={(value) => dimensionText(axis, value, true)}
      series={shown.map((name) => ({ key: name, label: name }))}
    />
  );
}
