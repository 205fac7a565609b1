import { Select, Text, TextInput } from "@mantine/core";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useDraft } from "../../state/use-draft.ts";
import type { Role } from "../../state/use-who.ts";
import { useWrite } from "../../state/use-write.ts";
import { SecretDialog } from "../../ui/dialogs/SecretDialog.tsx";
import { serviceUserChanges } from "./is-service.ts";
import { permissionsOf, roleOptions } from "./role.ts";

const noDraft: { name: string; role: Role } = { name: "", role: "editor" };

/** Makes a service user, adds it to the project, and shows its first key once. */
export function CreateServiceUser({ onClose }: { onClose: () => void }) {
  const [draft, setDraft, clear] = useDraft("service-user", noDraft);
  const add = useWrite("/latest/auth/service_users/add", { changes: serviceUserChanges });
  const addToProject = (user_id: string) => add.run({ user_id, permissions: permissionsOf(draft.role) });
  const create = useWrite("/latest/auth/service_users/create", {
    outsideProject: true,
    changes: serviceUserChanges,
    onDone: ({ user_id }) => addToProject(user_id),
  });
  const made = create.output;
  const close = () => {
    if (made) clear();
    onClose();
  };
  return (
    <SecretDialog
      title="Create a service user"
      action="Create the service user"
      isRunning={create.isRunning}
      isDisabled={draft.name.trim() === ""}
      onSubmit={() => create.run({ name: draft.name.trim() })}
      made={made && { label: "Its first API key", secret: made.api_key }}
      note={
        made && (
          <>
            <ProblemNotice problem={add.problem} onRetry={() => addToProject(made.user_id)} />
            <Text size="sm">{add.output ? "It is in this project." : "It is being added to this project …"}</Text>
          </>
        )
      }
      onClose={close}
    >
      <ProblemNotice problem={create.problem} />
      <TextInput
        label="Name"
        description="The program that uses it, for example “nightly deployment”."
        value={draft.name}
        onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
        maxLength={200}
        required
        data-autofocus
      />
      <Select
        label="Role in this project"
        data={roleOptions}
        value={draft.role}
        onChange={(value) => value && setDraft({ ...draft, role: value as Role })}
        allowDeselect={false}
      />
    </SecretDialog>
  );
}
