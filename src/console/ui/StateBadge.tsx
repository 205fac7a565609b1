import { Badge } from "@mantine/core";
import type { Tone } from "./Notice.tsx";

/** A state in one or two words, in a colour that is readable in both schemes. */
export function StateBadge({ tone, text }: { tone: Tone; text: string }) {
  return (
    <Badge variant="light" className={`tone-${tone}`}>
      {text}
    </Badge>
  );
}
