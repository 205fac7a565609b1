import { Button } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useReachable } from "../state/network.ts";
import { Notice } from "../ui/Notice.tsx";

/** Says that the server cannot be reached. Reads are repeated until it is back; writes wait for the person. */
export function NetworkBanner() {
  const isReachable = useReachable();
  const client = useQueryClient();
  useEffect(() => {
    if (isReachable) return;
    const again = () => void client.refetchQueries({ type: "active" });
    const timer = setInterval(again, 3000);
    window.addEventListener("online", again);
    return () => {
      clearInterval(timer);
      window.removeEventListener("online", again);
    };
  }, [isReachable, client]);
  if (isReachable) return null;
  return (
    <div className="banner">
      <Notice
        tone="warn"
        action={
          <Button size="compact-sm" variant="default" onClick={() => void client.refetchQueries({ type: "active" })}>
            Try now
          </Button>
        }
      >
        The server cannot be reached. What you see may be old. This page keeps trying; nothing that you saved is lost.
      </Notice>
    </div>
  );
}
