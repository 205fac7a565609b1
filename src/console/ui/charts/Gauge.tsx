import { Progress } from "@mantine/core";

interface GaugeProps {
  /** What it measures, for those who do not see it. */
  label: string;
  used: number;
  /** A part of `used` that is not final. */
  reserved?: number;
  max: number;
}

const nearlyFull = 0.8;

/** How much of something is used, with the part that is only reserved in a lighter colour. */
export function Gauge({ label, used, reserved = 0, max }: GaugeProps) {
  const share = (count: number) => (max > 0 ? Math.min(100, (100 * count) / max) : 100);
  const color = used >= max ? "red" : used >= nearlyFull * max ? "yellow" : "accent";
  return (
    <Progress.Root
      size="lg"
      role="meter"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={max}
      aria-valuenow={Math.min(used, max)}
      className="gauge"
    >
      <Progress.Section value={share(used - reserved)} color={color} withAria={false} />
      <Progress.Section value={share(used) - share(used - reserved)} color={color} withAria={false} opacity={0.45} />
    </Progress.Root>
  );
}
