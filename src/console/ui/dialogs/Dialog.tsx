import type { DrawerProps, ModalProps } from "@mantine/core";
import { type ComponentType, Suspense, useEffect, useState } from "react";
import { lazyWhenIdle } from "../lazy-when-idle.ts";

/** Mantine's dialogs, without their weight on the page that may open one: their script comes when the page is there. */

export const Modal = onDemand<ModalProps>(
  lazyWhenIdle<ModalProps>(async () => (await import("./mantine-dialogs.ts")).Modal),
);
export const Drawer = onDemand<DrawerProps>(
  lazyWhenIdle<DrawerProps>(async () => (await import("./mantine-dialogs.ts")).Drawer),
);

function onDemand<P extends { opened: boolean }>(Dialog: ComponentType<P>): ComponentType<P> {
  /** It opens once it is there, and not with it: so it knows where the focus was, and returns it. */
  function Opening(props: P) {
    const [isThere, setThere] = useState(false);
    useEffect(() => setThere(true), []);
    return <Dialog {...props} opened={props.opened && isThere} />;
  }
  return function DialogOnDemand(props: P) {
    const [isAsked, setAsked] = useState(props.opened);
    if (props.opened && !isAsked) setAsked(true);
    if (!isAsked) return null;
    return (
      <Suspense>
        <Opening {...props} />
      </Suspense>
    );
  };
}
