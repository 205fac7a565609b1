import { lazy, Suspense } from "react";
import type { ChartProps } from "./Chart.tsx";

const Chart = lazy(async () => ({ default: (await import("./Chart.tsx")).Chart }));

/** A chart whose library is loaded when the first one is drawn. Its room is there from the beginning. */
export const LazyChart = (props: ChartProps) => (
  <Suspense fallback={<div className={`chart ${props.isTall ? "chart-tall" : ""}`} />}>
    <Chart {...props} />
  </Suspense>
);
