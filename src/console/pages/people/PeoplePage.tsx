import { Button, Skeleton } from "@mantine/core";
import { useState } from "react";
import { useOnceTrue } from "../../state/use-once-true.ts";
import { useProject } from "../../state/use-project.ts";
import { useList } from "../../state/use-read.ts";
import { useSearchState } from "../../state/use-search-state.ts";
import { useRole } from "../../state/use-who.ts";
import { Notice } from "../../ui/Notice.tsx";
import { ActionsToCome, Page } from "../../ui/Page.tsx";
import { InviteDialog } from "./InviteDialog.tsx";
import { Invites } from "./Invites.tsx";
import { Members } from "./Members.tsx";
import { ServiceUsers } from "./ServiceUsers.tsx";

/** `?invite=1` opens the dialog that invites a person. */
export function PeoplePage() {
  const role = useRole(useProject());
  const isAdmin = role.may("admin");
  const [invite, setInvite] = useSearchState("invite");
  const [isInvited, setInvited] = useState(false);
  const isKnown = useIsKnown(isAdmin);
  return (
    <Page
      title="People"
      lead="Viewers read. Editors also run and edit steps, tools, agents and accounts. Admins also manage people, policies and the project."
      actions={
        isAdmin ? (
          <Button onClick={() => setInvite("1")}>Invite a person</Button>
        ) : role.isKnown ? null : (
          <ActionsToCome />
        )
      }
    >
      {!isAdmin && invite === "1" ? (
        <Notice tone="info">Only an admin of this project can invite people. Ask one of the admins below.</Notice>
      ) : null}
      {isInvited ? <Notice tone="good">The invite was created.</Notice> : null}
      {isKnown ? (
        <>
          <Members />
          {isAdmin ? <Invites /> : null}
          <ServiceUsers />
        </>
      ) : (
        <Skeleton height={480} role="status" aria-busy="true" aria-label="Loading the people" />
      )}
      {isAdmin && invite === "1" ? (
        <InviteDialog
          onClose={() => setInvite("")}
          onDone={() => {
            setInvited(true);
            setInvite("");
          }}
        />
      ) : null}
    </Page>
  );
}

/** Whether the lists are read. They appear together, so that none of them moves. */
function useIsKnown(isAdmin: boolean): boolean {
  const all = { limit: 100 };
  const members = useList("/latest/auth/users/list", all);
  const invites = useList("/latest/auth/invite/list", all, { when: isAdmin });
  const services = useList("/latest/auth/service_users/list", all, { outsideProject: true });
  const lists = [members, services, ...(isAdmin ? [invites] : [])];
  return useOnceTrue(lists.every(({ rows, problem }) => rows !== undefined || problem !== null));
}
