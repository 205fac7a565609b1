import { Button } from "@mantine/core";
import { Suspense } from "react";
import { useProject } from "../../state/use-project.ts";
import { useOpenState, useSearchState } from "../../state/use-search-state.ts";
import { useRole } from "../../state/use-who.ts";
import { Empty } from "../../ui/Empty.tsx";
import { lazyWhenIdle } from "../../ui/lazy-when-idle.ts";
import { Notice } from "../../ui/Notice.tsx";
import { Page } from "../../ui/Page.tsx";
import { ScheduleList } from "./ScheduleList.tsx";
import { useSchedules } from "./use-schedules.ts";

const ScheduleForm = lazyWhenIdle(async () => (await import("./ScheduleForm.tsx")).ScheduleForm);

/** Tools that start by the clock. `?new=1` opens the form, `?edit=` the form of one schedule. */
export function SchedulesPage() {
  const isEditor = useRole(useProject()).may("editor");
  const [isNew, setNew] = useSearchState("new");
  const [editing, setEditing] = useOpenState("edit");
  const list = useSchedules();
  const edited = list.rows?.find(({ schedule_id }) => schedule_id === editing);
  const isGone = editing !== "" && list.rows !== undefined && !list.hasMore && edited === undefined;
  const create = isEditor ? <Button onClick={() => setNew("1")}>Create a schedule</Button> : null;
  return (
    <Page
      title="Schedules"
      lead="A schedule starts a tool by the clock, on behalf of the person who last changed it."
      actions={create}
    >
      {isGone ? (
        <Notice tone="warn">
          The schedule of this link is not here. It may have been deleted, or be in another project.
        </Notice>
      ) : null}
      <ScheduleList
        list={list}
        isEditor={isEditor}
        onOpen={({ schedule_id }) => setEditing(schedule_id)}
        empty={
          <Empty title="No schedule yet" action={create}>
            {isEditor
              ? "Choose a tool and a time, such as every weekday at 9:00."
              : "Editors of this project can have tools started by the clock."}
          </Empty>
        }
      />
      <Suspense>
        {isEditor && isNew === "1" ? <ScheduleForm schedule={null} onClose={() => setNew("")} /> : null}
        {isEditor && edited ? (
          <ScheduleForm key={edited.schedule_id} schedule={edited} onClose={() => setEditing("")} />
        ) : null}
      </Suspense>
    </Page>
  );
}
