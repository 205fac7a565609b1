import { Outlet, useRouterState } from "@tanstack/react-router";
import { memo, Suspense, useEffect, useState } from "react";
import { rememberProject } from "../state/last-project.ts";
import { useSamePerson } from "../state/same-person.ts";
import { useLive } from "../state/use-live.ts";
import { useProjectId } from "../state/use-project.ts";
import { Brand } from "./Brand.tsx";
import { CommandMenu } from "./CommandMenu.tsx";
import { ConfirmIdentity } from "./ConfirmIdentity.tsx";
import { Navigation } from "./Navigation.tsx";
import { NetworkBanner } from "./NetworkBanner.tsx";
import { PersonMenu } from "./PersonMenu.tsx";
import { SignOutFailed } from "./SignOutFailed.tsx";
import { Sandboxes } from "./sandboxes/Sandboxes.tsx";

/**
 * What surrounds every page: navigation, the command menu, and the banner for a lost connection. It is part of every first page, so
 * it is made of plain elements; `index.html` shows the same frame until it is there.
 */
export function Shell() {
  const projectId = useProjectId();
  return (
    <div className="frame">
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <Around />
      <main id="main" className="frame-main">
        <NetworkBanner />
        <SignOutFailed />
        <Suspense
          fallback={<div className="page-coming" role="status" aria-busy="true" aria-label="Loading the page" />}
        >
          {/* A page begins anew in another project: neither its data nor an open question goes along. */}
          <Outlet key={projectId} />
        </Suspense>
      </main>
      <ConfirmIdentity />
      <Background />
    </div>
  );
}

/** The header and the navigation. */
const Around = memo(function Around() {
  const [isOpen, setOpen] = useState(false);
  const path = useRouterState({ select: (state) => state.location.pathname });
  // biome-ignore lint/correctness/useExhaustiveDependencies: the navigation closes when the page changes.
  useEffect(() => setOpen(false), [path]);
  return (
    <>
      <header className="frame-header">
        <button
          type="button"
          className="burger"
          aria-expanded={isOpen}
          aria-label={isOpen ? "Close the navigation" : "Open the navigation"}
          onClick={() => setOpen(!isOpen)}
        />
        <Brand />
        <HeaderTools />
      </header>
      <nav className="frame-nav" aria-label="Main" data-open={isOpen || undefined}>
        <Navigation />
      </nav>
    </>
  );
});

const HeaderTools = memo(function HeaderTools() {
  return (
    <div className="header-tools">
      <Sandboxes />
      <CommandMenu />
      <PersonMenu />
    </div>
  );
});

/** What goes on while pages come and go. */
const Background = memo(function Background() {
  const projectId = useProjectId();
  useLive();
  useSamePerson();
  useEffect(() => {
    let isGone = false;
    let stop = () => {};
    // Loaded after the first page is there. Without it, the browser's own keys work.
    void import("./keyboard.ts")
      .then(({ startKeyboard }) => {
        if (!isGone) stop = startKeyboard();
      })
      .catch(() => {});
    return () => {
      isGone = true;
      stop();
    };
  }, []);
  useEffect(() => {
    if (projectId !== null) rememberProject(projectId);
  }, [projectId]);
  return null;
});
