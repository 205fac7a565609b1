/** What a chart draws: one line, or one bar for each place. */
export interface Series {
  /** The member of each point. */
  key: string;
  label: string;
}

export const seriesMax = 6;

export const seriesColor = (index: number): string => `var(--series-${(index % seriesMax) + 1})`;

/** Lines differ by their dashes too, not by colour alone. */
export const dashOf = (index: number): string =>
  ["0", "6 3", "2 3", "10 3 2 3", "12 4", "1 4"][index % seriesMax] ?? "0";
