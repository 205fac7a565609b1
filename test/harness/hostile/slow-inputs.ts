interface Slow {
  name: string;
  milliseconds: number;
}

/** The slowest of each place, and how many more there were. */
export function slowInputs(slow: readonly Slow[]): string[] {
  const byPlace = Map.groupBy(slow, ({ name }) => name.split(": ")[0]);
  return [...byPlace.values()]
    .map((all) => ({ count: all.length, worst: all.toSorted((a, b) => b.milliseconds - a.milliseconds)[0] as Slow }))
    .sort((a, b) => b.worst.milliseconds - a.worst.milliseconds)
    .map(
      ({ count, worst }) =>
        `${worst.milliseconds} ms: ${worst.name.slice(0, 200)}${count > 1 ? `, and ${count - 1} more there` : ""}`,
    );
}
