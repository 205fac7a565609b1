import { Modal, ScrollArea, Text, TextInput, UnstyledButton } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { type KeyboardEvent, useDeferredValue, useLayoutEffect, useMemo, useRef, useState } from "react";
import { lastProject } from "../state/last-project.ts";
import { useProjectId } from "../state/use-project.ts";
import { type Command, findCommands, useCommands } from "./commands.ts";
import { pageCommands } from "./page-commands.ts";

const shownMax = 12;

/** The field of the command menu and what it finds. */
export function CommandDialog({ onClose }: { onClose: () => void }) {
  return (
    <Modal
      opened
      onClose={onClose}
      withCloseButton={false}
      padding={0}
      size="lg"
      yOffset="12vh"
      // What is typed right after the keys goes into the field, so nothing may move before it has the focus.
      transitionProps={{ duration: 0 }}
      attributes={{ content: { "aria-label": "Search pages, tools and actions" } }}
    >
      <CommandList onDone={onClose} />
    </Modal>
  );
}

function CommandList({ onDone }: { onDone: () => void }) {
  const [query, setQuery] = useState("");
  const [chosen, setChosen] = useState(0);
  const projectId = useProjectId() ?? lastProject();
  const everywhere = useCommands();
  const [onPage] = useState(pageCommands);
  const commands = useMemo(() => {
    const known = new Set(everywhere.map(({ title }) => title));
    return [...everywhere, ...onPage.filter(({ title }) => !known.has(title))];
  }, [everywhere, onPage]);
  const deferred = useDeferredValue(query);
  const found = useMemo(
    () => findCommands(commands, deferred, projectId).slice(0, shownMax),
    [commands, deferred, projectId],
  );
  const navigate = useNavigate();
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  // The dialog itself gives it the focus a moment after it can be seen, and what is typed until then would be lost.
  useLayoutEffect(() => field.current?.focus(), []);
  const choose = (command: Command | undefined) => {
    if (!command) return;
    const { to, isDocument } = command;
    onDone();
    // After the menu is gone: what the button opens takes the focus.
    if (typeof to === "function") setTimeout(to);
    else if (isDocument) window.location.assign(to);
    else void navigate({ href: to } as never);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      const next = Math.max(0, Math.min(found.length - 1, chosen + step));
      setChosen(next);
      list.current?.children[next]?.scrollIntoView({ block: "nearest" });
    } else if (event.key === "Enter") {
      event.preventDefault();
      choose(found[chosen]);
    }
  };
  return (
    <div>
      <TextInput
        ref={field}
        value={query}
        onChange={(event) => {
          setQuery(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
        placeholder="Type a page, a tool, a run id, an action …"
        aria-label="Search pages, tools and actions"
        role="combobox"
        aria-expanded="true"
        aria-controls="commands"
        aria-activedescendant={found[chosen] ? `command-${chosen}` : undefined}
        variant="unstyled"
        classNames={{ input: "command-field" }}
        size="lg"
        px="md"
        data-autofocus
      />
      <ScrollArea.Autosize mah="24rem" type="auto" className="commands">
        <div id="commands" role="listbox" aria-label="Results" ref={list}>
          {found.map((command, index) => (
            <UnstyledButton
              key={`${command.kind} ${typeof command.to === "string" ? command.to : ""} ${command.title}`}
              id={`command-${index}`}
              role="option"
              aria-selected={index === chosen}
              tabIndex={-1}
              className="command-row"
              onMouseMove={() => setChosen(index)}
              onClick={() => choose(command)}
            >
              <span dir="auto">{command.title}</span>
              <Text span size="sm" c="dimmed">
                {command.kind}
              </Text>
            </UnstyledButton>
          ))}
        </div>
        {found.length === 0 ? (
          <Text c="dimmed" p="md">
            Nothing has this name.
          </Text>
        ) : null}
      </ScrollArea.Autosize>
    </div>
  );
}
