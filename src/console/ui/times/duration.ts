/** A length of time for people: "340 ms", "2.4 s", "3 min 5 s", "2 h 10 min", "4 d 3 h". */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.max(0, Math.round(milliseconds))} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 3600) return two(seconds, [60, "min"], [1, "s"]);
  if (seconds < 86_400) return two(seconds, [3600, "h"], [60, "min"]);
  return two(seconds, [86_400, "d"], [3600, "h"]);
}

function two(seconds: number, [size, unit]: [number, string], [small, smallUnit]: [number, string]): string {
  const whole = Math.floor(seconds / size);
  const rest = Math.floor((seconds - whole * size) / small);
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${smallUnit}`;
}

/** A number of bytes for people. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  if (count < 1_000_000) return `${(count / 1000).toFixed(0)} kB`;
  return `${(count / 1_000_000).toFixed(1)} MB`;
}
