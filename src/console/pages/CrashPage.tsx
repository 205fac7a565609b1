import { Button, Code, Group } from "@mantine/core";
import { paths } from "../paths.ts";
import { Page } from "../ui/Page.tsx";

/** A page that failed. A new release replaces the script files, so a reload is the first thing to try. */
export const CrashPage = ({ error }: { error: unknown }) => (
  <Page title="This page failed" lead="Reload it. If that does not help, tell your administrator what is shown below.">
    <Code block>{error instanceof Error ? error.message : String(error)}</Code>
    <Group>
      <Button onClick={() => window.location.reload()}>Reload</Button>
      <Button component="a" href={paths.projects} variant="default">
        Go to projects
      </Button>
    </Group>
  </Page>
);
