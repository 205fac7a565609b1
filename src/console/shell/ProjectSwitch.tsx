import { paths } from "../paths.ts";
import { useWho } from "../state/use-who.ts";
import { Dropdown } from "../ui/dialogs/Dropdown.tsx";
import { AppLink } from "./AppLink.tsx";

const shownProjects = 20;

/** Names the open project and leads to the others. */
export function ProjectSwitch({ projectId }: { projectId: string | null }) {
  const { data: who } = useWho();
  const current = who?.projects.find(({ project_id }) => project_id === projectId);
  const trigger = (
    <>
      <span className="switch-name" dir="auto" title={current?.name}>
        {current?.name ?? "Choose a project"}
      </span>
      <span className="clipped switch-owner" dir="auto">
        {who?.organization.name ?? "…"}
      </span>
      <span className="unseen">Change the project</span>
    </>
  );
  return (
    <Dropdown trigger={trigger} className="switch" align="start">
      <div className="menu-label">Projects</div>
      {who?.projects.slice(0, shownProjects).map((project) => (
        <AppLink
          key={project.project_id}
          role="menuitem"
          className="menu-item clipped"
          dir="auto"
          to={paths.home(project.project_id)}
        >
          {project.name}
        </AppLink>
      ))}
      <hr className="menu-line" />
      <AppLink role="menuitem" className="menu-item" to={paths.projects}>
        All projects
      </AppLink>
    </Dropdown>
  );
}
