import { Skeleton, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import type { SignalboxProblem } from "../../client/problem.ts";
import { Drawer } from "../ui/dialogs/Dialog.tsx";
import { ProblemNotice } from "./ProblemNotice.tsx";

interface ReadDrawerProps<T> {
  title: ReactNode;
  size: string;
  read: { data: T | undefined; error: SignalboxProblem | null; refetch: () => unknown };
  children: (data: T) => ReactNode;
  onClose: () => void;
}

/** A drawer about one record: grey while it loads, its problem with a retry, or what it holds. */
export function ReadDrawer<T>({ title, size, read, children, onClose }: ReadDrawerProps<T>) {
  const { data, error, refetch } = read;
  return (
    <Drawer
      opened
      onClose={onClose}
      position="right"
      size={size}
      title={title}
      closeButtonProps={{ "aria-label": "Close" }}
    >
      <Stack gap="lg">
        <ProblemNotice problem={error} onRetry={() => void refetch()} />
        {data === undefined && error === null ? <Skeleton height={320} aria-label="Loading" /> : null}
        {data === undefined ? null : children(data)}
      </Stack>
    </Drawer>
  );
}
