import { Drawer, Stack, Tabs, Text } from "@mantine/core";
import { titleOfSystem } from "../../state/systems.ts";
import { useSandboxes } from "../../state/use-sandboxes.ts";
import { Notice } from "../../ui/Notice.tsx";
import { SandboxClock } from "./SandboxClock.tsx";
import { SandboxFaults } from "./SandboxFaults.tsx";
import { SandboxRequests } from "./SandboxRequests.tsx";

interface SandboxDrawerProps {
  /** The system whose sandbox is shown. */
  open: string;
  onOpen: (system: string) => void;
  onClose: () => void;
}

const everyMilliseconds = 3000;

/** Each sandbox's clock, faults and request log: a demonstration makes a system fail and shows what the product does. */
export function SandboxDrawer({ open, onOpen, onClose }: SandboxDrawerProps) {
  const sandboxes = useSandboxes({ every: everyMilliseconds });
  const system = sandboxes.some((each) => each.system === open) ? open : (sandboxes[0]?.system ?? "");
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size="44rem"
      title="Sandboxes"
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack gap="md">
        <Text size="sm" c="dimmed">
          Stand-ins for the external systems, on this server only. Move their time, make their next calls fail, and see
          the requests they received.
        </Text>
        <Tabs value={system} onChange={(value) => value && onOpen(value)} keepMounted={false}>
          <Tabs.List mb="md" className="tabs-scroll">
            {sandboxes.map((sandbox) => (
              <Tabs.Tab key={sandbox.system} value={sandbox.system}>
                {titleOfSystem(sandbox.system)}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {sandboxes.map((sandbox) => (
            <Tabs.Panel key={sandbox.system} value={sandbox.system}>
              <Stack gap="lg">
                {sandbox.now === null ? (
                  <Notice tone="warn">This sandbox does not respond. It may have ended; restart the server.</Notice>
                ) : (
                  <SandboxClock sandbox={sandbox} now={sandbox.now} />
                )}
                <SandboxFaults sandbox={sandbox} />
                <SandboxRequests system={sandbox.system} />
              </Stack>
            </Tabs.Panel>
          ))}
        </Tabs>
      </Stack>
    </Drawer>
  );
}
