import { Button } from "@mantine/core";
import { paths } from "../paths.ts";
import { AppLink } from "../shell/AppLink.tsx";
import { Page } from "../ui/Page.tsx";

export const NotFoundPage = () => (
  <Page title="Page not found" lead="No page has this address. Check the link, or start from your projects.">
    <div>
      <Button component={AppLink} to={paths.projects}>
        Go to projects
      </Button>
    </div>
  </Page>
);
