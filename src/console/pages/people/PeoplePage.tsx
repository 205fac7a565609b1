import { Button } from "@mantine/core";
import { useState } from "react";
import { useProject } from "../../state/use-project.ts";
import { useSearchState } from "../../state/use-search-state.ts";
import { useRole } from "../../state/who.ts";
import { Notice } from "../../ui/Notice.tsx";
import { Page } from "../../ui/Page.tsx";
import { InviteDialog } from "./InviteDialog.tsx";
import { Invites } from "./Invites.tsx";
import { Members } from "./Members.tsx";
import { ServiceUsers } from "./ServiceUsers.tsx";

/** `?invite=1` opens the dialog that invites a person. */
export function PeoplePage() {
  const isAdmin = useRole(useProject()).may("admin");
  const [invite, setInvite] = useSearchState("invite");
  const [isInvited, setInvited] = useState(false);
  return (
    <Page
      title="People"
      lead="Viewers read. Editors also run and edit steps, tools, agents and accounts. Admins also manage people, policies and the project."
      actions={isAdmin ? <Button onClick={() => setInvite("1")}>Invite a person</Button> : null}
    >
      {isInvited ? <Notice tone="good">The invite was created.</Notice> : null}
      <Members />
      {isAdmin ? <Invites /> : null}
      <ServiceUsers />
      {isAdmin && invite === "1" ? (
        <InviteDialog
          onClose={() => setInvite("")}
          onDone={() => {
            setInvited(true);
            setInvite("");
          }}
        />
      ) : null}
      {!isAdmin && invite === "1" ? (
        <Notice tone="info">Only an admin of this project can invite people. Ask one of the admins below.</Notice>
      ) : null}
    </Page>
  );
}
