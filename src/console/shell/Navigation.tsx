import { useRouterState } from "@tanstack/react-router";
import { navPages } from "../pages/nav-pages.ts";
import { paths } from "../paths.ts";
import { lastProject } from "../state/last-project.ts";
import { useInbox } from "../state/use-inbox.ts";
import { useProjectId } from "../state/use-project.ts";
import { AppLink } from "./AppLink.tsx";
import { ProjectSwitch } from "./ProjectSwitch.tsx";

const groups = ["Work", "Systems", "Project"] as const;

export function Navigation() {
  const inAddress = useProjectId();
  const path = useRouterState({ select: (state) => state.location.pathname });
  const projectId = inAddress ?? lastProject();
  const isHere = (to: string) => (to === paths.home(projectId ?? "") ? path === to : path.startsWith(to));
  const linkTo = (to: string, title: string) => (
    <AppLink key={title} className="nav-link" to={to} aria-current={isHere(to) ? "page" : undefined}>
      {title}
      {title === "Inbox" ? <Waiting /> : null}
    </AppLink>
  );
  return (
    <>
      <ProjectSwitch projectId={projectId} />
      <div className="nav-pages">
        {projectId === null
          ? null
          : groups.map((group) => (
              <div key={group} className="nav-group">
                <div className="nav-title">{group}</div>
                {navPages.filter((page) => page.group === group).map(({ to, title }) => linkTo(to(projectId), title))}
              </div>
            ))}
        <div className="nav-group">{linkTo(paths.organization, "Organization")}</div>
      </div>
    </>
  );
}

/** How many things in the inbox wait for a person. */
function Waiting() {
  const waiting = useInbox().items.length;
  if (waiting === 0) return null;
  return (
    <span className="count" role="img" aria-label={`${waiting} waiting`}>
      {waiting > 99 ? "99+" : waiting}
    </span>
  );
}
