import { Button } from "@mantine/core";
import { signOut, useSignOutFailed } from "../state/sign-out.ts";
import { Notice } from "../ui/Notice.tsx";

/** A person at a shared computer must know that the session has not ended. */
export function SignOutFailed() {
  if (!useSignOutFailed()) return null;
  return (
    <div className="banner">
      <Notice
        tone="bad"
        action={
          <Button size="compact-sm" variant="default" onClick={() => void signOut()}>
            Try again
          </Button>
        }
      >
        You are still signed in: the server did not end your session.
      </Notice>
    </div>
  );
}
