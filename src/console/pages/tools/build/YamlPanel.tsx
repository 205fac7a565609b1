import { Button, Group, Textarea } from "@mantine/core";
import { useEffect, useRef, useState } from "react";
import { useDraft } from "../../../state/use-draft.ts";
import { Copy } from "../../../ui/files/Copy.tsx";
import { Section } from "../../../ui/Section.tsx";
import type { Definition } from "../tool.ts";
import { readYaml, writeYaml } from "./definition-yaml.ts";

interface YamlPanelProps {
  definition: Definition;
  toolId: string;
  onChange: (definition: Definition) => void;
}

/** "YAML beside it, edited both ways." A text that is not a tool yet changes nothing, and survives a reload. */
export function YamlPanel({ definition, onChange, toolId }: YamlPanelProps) {
  const [unfinished, keep, forget] = useDraft<string | null>(`yaml.${toolId}`, null);
  const [text, setText] = useState(() => unfinished ?? writeYaml(definition));
  const mistake = unfinished === null ? null : mistakeIn(unfinished);
  const sent = useRef(definition);
  useEffect(() => {
    if (sent.current === definition) return;
    // The result of one's own typing leaves the text as it was typed.
    if (JSON.stringify(sent.current) !== JSON.stringify(definition)) {
      setText(writeYaml(definition));
      forget();
    }
    sent.current = definition;
  }, [definition, forget]);
  const change = (next: string) => {
    setText(next);
    const read = readYaml(next);
    if ("mistake" in read) return keep(next);
    forget();
    sent.current = read.definition;
    onChange(read.definition);
  };
  return (
    <Section
      title="YAML"
      lead="A change here changes the flow, and a change there this text."
      actions={
        <Group gap="xs">
          <Copy text={text} label="Copy" />
          <Button
            component="a"
            size="compact-sm"
            variant="default"
            href={`data:text/yaml;charset=utf-8,${encodeURIComponent(text)}`}
            download={`${toolId}.yaml`}
          >
            Export
          </Button>
        </Group>
      }
    >
      <Textarea
        aria-label="The tool as YAML"
        value={text}
        onChange={(event) => change(event.currentTarget.value)}
        autosize
        minRows={12}
        maxRows={40}
        className="mono-input"
        spellCheck={false}
        {...(mistake ? { error: mistake } : {})}
      />
    </Section>
  );
}

function mistakeIn(text: string): string | null {
  const read = readYaml(text);
  return "mistake" in read ? read.mistake : null;
}
