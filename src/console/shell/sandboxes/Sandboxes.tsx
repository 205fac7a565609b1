import { Button } from "@mantine/core";
import { lazy, Suspense } from "react";
import { useSandboxes } from "../../state/use-sandboxes.ts";
import { useOpenState } from "../../state/use-search-state.ts";

const SandboxDrawer = lazy(async () => ({ default: (await import("./SandboxDrawer.tsx")).SandboxDrawer }));

/** Where the server runs sandboxes of its own, its owner can make them fail. `?sandboxes=` opens the drawer. */
export function Sandboxes() {
  const [open, setOpen] = useOpenState("sandboxes");
  const sandboxes = useSandboxes();
  if (sandboxes.length === 0) return null;
  return (
    <>
      <Button variant="subtle" size="compact-sm" onClick={() => setOpen(sandboxes[0]?.system ?? "")} className="extra">
        Sandboxes
      </Button>
      {open === "" ? null : (
        <Suspense fallback={null}>
          <SandboxDrawer open={open} onOpen={setOpen} onClose={() => setOpen("")} />
        </Suspense>
      )}
    </>
  );
}
