import { Button, FileButton, Group, Stack, Textarea } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import type { FormEvent } from "react";
import { paths } from "../../paths.ts";
import { ProblemNotice } from "../../shell/ProblemNotice.tsx";
import { useDraft } from "../../state/use-draft.ts";
import { useProject } from "../../state/use-project.ts";
import { useWrite } from "../../state/use-write.ts";
import { Modal } from "../../ui/dialogs/Dialog.tsx";

/** Makes a tool from YAML, as another project exported it. */
export function ImportTool({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const projectId = useProject();
  const navigate = useNavigate();
  const [yaml, setYaml, clear] = useDraft("import-tool", "");
  const bring = useWrite("/latest/tools/import", {
    changes: ["/latest/tools/list"],
    onDone: ({ tool_id }) => {
      clear();
      void navigate({ to: paths.tool(projectId, tool_id), search: { tab: "build" } } as never);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    bring.run({ yaml });
  };
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      title="Import a tool"
      size="lg"
      centered
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <ProblemNotice problem={bring.problem} />
          <Textarea
            label="YAML"
            description="As Export wrote it. Accounts are named by their ids in this project."
            value={yaml}
            onChange={(event) => setYaml(event.currentTarget.value)}
            autosize
            minRows={8}
            maxRows={20}
            className="mono-input"
            spellCheck={false}
            required
            data-autofocus
          />
          <Group justify="space-between">
            <FileButton accept=".yaml,.yml,.json,text/yaml" onChange={(file) => void file?.text().then(setYaml)}>
              {(props) => (
                <Button variant="default" {...props}>
                  Choose a file
                </Button>
              )}
            </FileButton>
            <Button type="submit" loading={bring.isRunning} disabled={yaml.trim() === ""}>
              Import the tool
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
