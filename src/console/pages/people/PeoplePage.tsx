import { useProject } from "../../state/call.ts";
import { useRole } from "../../state/who.ts";
import { Page } from "../../ui/Page.tsx";
import { Invites } from "./Invites.tsx";
import { Members } from "./Members.tsx";

export function PeoplePage() {
  const { may } = useRole(useProject());
  return (
    <Page
      title="People"
      lead="Viewers read. Editors also run and edit steps, tools, agents and accounts. Admins also manage people, policies and the project."
    >
      {may("admin") ? <Invites /> : null}
      <Members />
    </Page>
  );
}
