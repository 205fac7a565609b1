import { useList } from "../../state/use-read.ts";

/** The project's schedules. They are read again now and then, because they start runs by themselves. */
export const useSchedules = () => useList("/latest/schedules/list", { limit: 100 }, { every: 10_000 });
