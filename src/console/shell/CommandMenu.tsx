import { Button, Kbd } from "@mantine/core";
import { useDisclosure, useHotkeys } from "@mantine/hooks";
import { Suspense } from "react";
import { lazyWhenIdle } from "../ui/lazy-when-idle.ts";

const CommandDialog = lazyWhenIdle(async () => (await import("./CommandDialog.tsx")).CommandDialog);

/** Ctrl-K: reaches every page, project, tool, run id, step and action by typing. */
export function CommandMenu() {
  const [isOpen, { open, close }] = useDisclosure(false);
  useHotkeys([["mod+K", open]], []);
  return (
    <>
      <Button
        variant="default"
        size="compact-sm"
        fw={500}
        onClick={open}
        rightSection={<Kbd size="xs">Ctrl K</Kbd>}
        className="command"
      >
        Search<span className="unseen"> pages, tools and actions</span>
      </Button>
      <Suspense>{isOpen ? <CommandDialog onClose={close} /> : null}</Suspense>
    </>
  );
}
