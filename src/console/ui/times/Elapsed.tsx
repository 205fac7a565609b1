import { useEffect, useState } from "react";
import { duration } from "./duration.ts";

/** The time since a moment, in whole seconds, counted on while it is on screen. */
export function Elapsed({ since }: { since: number }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, []);
  const seconds = Math.max(0, Math.floor((now - since) / 1000));
  return <span className="time">{seconds < 60 ? `${seconds} s` : duration(seconds * 1000)}</span>;
}
