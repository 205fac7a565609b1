import { AppLink } from "./AppLink.tsx";

/** `index.html` draws the same until the program has started. */
export const Brand = () => (
  <AppLink to="/" className="brand">
    <svg width="22" height="22" viewBox="0 0 24 24" aria-hidden="true">
      <rect x="7" y="1.5" width="10" height="21" rx="5" fill="var(--accent)" />
      <circle cx="12" cy="7" r="2.4" fill="var(--on-accent)" />
      <circle cx="12" cy="12" r="2.4" fill="var(--on-accent)" opacity=".55" />
      <circle cx="12" cy="17" r="2.4" fill="var(--on-accent)" opacity=".3" />
    </svg>
    <span>Signalbox</span>
  </AppLink>
);
