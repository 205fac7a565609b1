/** Whether a run's wait ends with a person. */
export const isForPerson = (kind: string | undefined): boolean => kind === "approval" || kind === "person";
