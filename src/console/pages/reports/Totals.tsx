import { Text, UnstyledButton } from "@mantine/core";
import { figureOf } from "./figures.ts";
import type { Result } from "./read-result.ts";

interface TotalsProps {
  results: Result[];
  metrics: string[];
  chosen: string;
  onChoose: (metric: string) => void;
  nameOf: (field: string) => string;
}

/** Each metric over everything, as the system counts it: users are not added up over rows. A press draws it. */
export function Totals({ results, metrics, chosen, onChoose, nameOf }: TotalsProps) {
  return (
    <section className="tiles" aria-label="Totals">
      {metrics.map((metric) => (
        <UnstyledButton
          key={metric}
          className="tile"
          aria-pressed={metric === chosen}
          onClick={() => onChoose(metric)}
          title={`Draw ${nameOf(metric)}`}
        >
          <Text size="sm" c="dimmed">
            {nameOf(metric)}
          </Text>
          {results.map(({ label, totals, currency }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: sources are known by their place.
            <div key={index} className="tile-figure">
              <span className={results.length > 1 ? "tile-small" : "tile-large"}>
                {figureOf(metric, totals[metric], currency)}
              </span>
              {results.length > 1 ? (
                <Text span size="xs" c="dimmed" truncate dir="auto">
                  {label}
                </Text>
              ) : null}
            </div>
          ))}
        </UnstyledButton>
      ))}
    </section>
  );
}
