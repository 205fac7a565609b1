import { Code, Group } from "@mantine/core";
import { Copy } from "./Copy.tsx";

/** A text that is meant to be copied, with the button that copies it. */
export const CopyText = ({ text, label }: { text: string; label?: string }) => (
  <Group gap="xs" wrap="nowrap">
    <Code className="secret" {...(label === undefined ? {} : { "aria-label": label })}>
      {text}
    </Code>
    <Copy text={text} label="Copy" />
  </Group>
);
