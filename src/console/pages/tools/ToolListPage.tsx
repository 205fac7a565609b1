import { Button, Skeleton } from "@mantine/core";
import { lazy, Suspense } from "react";
import { EditorsOnly } from "../../shell/EditorsOnly.tsx";
import { useOpenState, useSearchState } from "../../state/use-search-state.ts";
import { Page } from "../../ui/Page.tsx";
import { StepSearch } from "./build/StepSearch.tsx";
import { ImportTool } from "./ImportTool.tsx";
import { StepCatalogue } from "./StepCatalogue.tsx";
import { ToolList } from "./ToolList.tsx";

const NewTool = lazy(() => import("./build/NewTool.tsx").then((file) => ({ default: file.NewTool })));

const title = "Tools";
const lead = "A tool is a few steps in order, made once and run by people, agents, schedules and programs.";

export function ToolListPage() {
  const [isNew, setNew] = useOpenState("new");
  const [firstStep, setFirstStep] = useOpenState("step");
  const [isImport, setImport] = useSearchState("import");
  const isMaking = isNew === "1" || firstStep !== "";
  return (
    <EditorsOnly title={title} lead={lead} action="see and run tools" forViewers={<StepCatalogue />}>
      <Page
        title={title}
        lead={lead}
        actions={
          isMaking ? null : (
            <>
              <Button variant="default" onClick={() => setImport("1")}>
                Import YAML
              </Button>
              <Button onClick={() => setNew("1")}>Create a tool</Button>
            </>
          )
        }
      >
        {isMaking ? (
          <Suspense fallback={<Skeleton height={240} role="status" aria-label="Loading the editor" />}>
            <NewTool firstStep={firstStep} />
          </Suspense>
        ) : (
          <>
            <StepSearch
              onChoose={setFirstStep}
              description="Type the kind of system, a vendor or a task. Choosing a step begins a tool with it."
            />
            <ToolList onCreate={() => setNew("1")} />
          </>
        )}
        <ImportTool opened={isImport === "1"} onClose={() => setImport("")} />
      </Page>
    </EditorsOnly>
  );
}
