import { Button, Code, Group, Text } from "@mantine/core";
import { useMemo, useState } from "react";
import { Copy } from "./files/Copy.tsx";
import { download } from "./files/download.ts";

const shownCharacters = 20_000;

/** Any value as JSON. A long one is cut on screen, never when copied: a page with 5 MB of text does not scroll. */
export function JsonView({ value, label }: { value: unknown; label: string }) {
  const [isWhole, setWhole] = useState(false);
  const text = useMemo(() => (typeof value === "string" ? value : (JSON.stringify(value, null, 2) ?? "")), [value]);
  const isLong = text.length > shownCharacters;
  return (
    <div className="json-box">
      <Code block className="json" aria-label={label} tabIndex={0}>
        {isLong && !isWhole ? `${text.slice(0, shownCharacters)}\n…` : text}
      </Code>
      <Copy text={text} label="Copy" size="compact-xs" className="json-copy" />
      {isLong ? (
        <Group gap="xs" mt={6}>
          <Text size="sm" c="dimmed">
            {(text.length / 1000).toFixed(0)} kB
          </Text>
          {text.length <= 1_000_000 ? (
            <Button variant="subtle" size="compact-sm" onClick={() => setWhole(!isWhole)}>
              {isWhole ? "Show less" : "Show all"}
            </Button>
          ) : (
            <Button variant="subtle" size="compact-sm" onClick={() => download(text, "output.json")}>
              Download
            </Button>
          )}
        </Group>
      ) : null}
    </div>
  );
}
