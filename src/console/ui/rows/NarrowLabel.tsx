import { Text } from "@mantine/core";

/** Names a cell on narrow screens, where rows show no column titles. */
export const NarrowLabel = ({ children }: { children: string }) => (
  <Text span size="xs" c="dimmed" className="narrow">
    {children}{" "}
  </Text>
);
