import { useCallback, useEffect, useRef, useState } from "react";
import { SignalboxProblem } from "../../../../client/problem.ts";
import type { InputOf } from "../../../../client/wire.ts";
import { useRead, useRefresh } from "../../../state/use-read.ts";
import { useWrite } from "../../../state/use-write.ts";
import { accountReads } from "../accounts/describe-account.ts";

export type Wish = InputOf<"/latest/connections/connect">;

/** A sign-in under way on the system's own page. */
export interface Consent {
  connectId: string;
  url: string;
  expiresAt: string;
}

/** The pop-up as far as this page can see it. A system may cut the tie to it: then it looks closed and is not. */
export type WindowState = "open" | "blocked" | "closed";

const slowAfterMs = 20_000;
const pollMs = 2000;

/**
 * Connects an account, by credentials or in a pop-up. The server alone says how the sign-in ends: this page polls for it, and
 * a message from the pop-up only makes it ask at once. So it does not matter in which window, or when, the person finishes.
 */
export function useConnect() {
  const popUp = useRef<Window | null>(null);
  const refresh = useRefresh();
  const [consent, setConsent] = useState<Consent | null>(null);
  const [windowState, setWindowState] = useState<WindowState>("open");
  const [isSlow, setSlow] = useState(false);
  const [connectionId, setConnectionId] = useState<string | null>(null);
  const [refusal, setRefusal] = useState<SignalboxProblem | null>(null);
  const connect = useWrite("/latest/connections/connect", {
    changes: [...accountReads],
    onDone: ({ connection_id, connect_url, connect_id, expires_at }) => {
      if (connection_id !== undefined) return setConnectionId(connection_id);
      if (connect_url === undefined || connect_id === undefined) return;
      setConsent({ connectId: connect_id, url: connect_url, expiresAt: expires_at ?? "" });
      leadOn(connect_url);
    },
  });
  const leadOn = (url: string) => {
    const isOpen = popUp.current !== null && !popUp.current.closed;
    if (isOpen) popUp.current?.location.replace(url);
    setWindowState((before) => (isOpen ? "open" : before === "blocked" ? "blocked" : "closed"));
  };
  const problem = connect.problem;
  useEffect(() => {
    if (problem) popUp.current?.close();
  }, [problem]);

  const isWaiting = consent !== null;
  const status = useRead(
    "/latest/connections/status",
    { connect_id: consent?.connectId ?? "" },
    { when: isWaiting, every: pollMs, staleTime: 0 },
  );
  const { data, error, refetch } = status;
  useEffect(() => {
    if (consent === null) return;
    const end = (found: SignalboxProblem | null) => {
      setConsent(null);
      setRefusal(found);
    };
    if (data?.state === "connected" && data.connection_id !== undefined) {
      setConnectionId(data.connection_id);
      end(null);
      void refresh(...accountReads);
    } else if (data?.state === "failed") {
      end(new SignalboxProblem(409, (data.problem ?? {}) as Record<string, unknown>));
    } else if (data?.state === "expired") {
      end(expired);
    } else if (error?.code === "connect_not_found") {
      end(error);
    }
  }, [consent, data, error, refresh]);

  useEffect(() => {
    if (!isWaiting) return;
    setSlow(false);
    const slow = setTimeout(() => setSlow(true), slowAfterMs);
    const watch = setInterval(() => {
      if (popUp.current?.closed) setWindowState("closed");
    }, 500);
    const onMessage = ({ data: message }: MessageEvent<{ type?: unknown } | null>) => {
      if (typeof message?.type === "string" && message.type.startsWith("signalbox:")) void refetch();
    };
    window.addEventListener("message", onMessage);
    return () => {
      clearTimeout(slow);
      clearInterval(watch);
      window.removeEventListener("message", onMessage);
    };
  }, [isWaiting, refetch]);

  const openWindow = useCallback((url: string) => {
    popUp.current?.close();
    const opened = window.open(url, "_blank", "popup,width=640,height=760");
    popUp.current = opened;
    setWindowState(opened === null ? "blocked" : "open");
  }, []);
  return {
    consent,
    windowState,
    isSlow,
    connectionId,
    problem: refusal ?? problem,
    isRunning: connect.isRunning,
    /** Sends the credentials. */
    paste(wish: Wish) {
      setRefusal(null);
      connect.run(wish);
    },
    /** Opens the window within the click, because browsers block one that opens later. */
    signIn(wish: Wish) {
      if (connect.isRunning) return;
      setRefusal(null);
      openWindow("about:blank");
      connect.run(wish);
    },
    reopen: () => consent && openWindow(consent.url),
    show: () => popUp.current?.focus(),
    cancel() {
      popUp.current?.close();
      setConsent(null);
    },
  };
}

const expired = new SignalboxProblem(409, {
  code: "expired",
  detail: "Nobody finished the sign-in in time.",
  remedy: "Start again: the page at the system works for ten minutes.",
});
