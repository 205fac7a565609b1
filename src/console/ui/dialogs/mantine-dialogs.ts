/** The part of Mantine that `Dialog.tsx` loads later. */
export { Drawer, Modal } from "@mantine/core";
