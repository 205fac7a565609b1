import { Button } from "@mantine/core";
import { Empty } from "../ui/Empty.tsx";

interface SearchOlderProps {
  /** What the list holds: "runs". */
  rows: string;
  isLoading: boolean;
  onOlder: () => void;
}

/** An empty result of a search that has not reached the oldest rows: the server looks through a thousand in one call. */
export const SearchOlder = ({ rows, isLoading, onOlder }: SearchOlderProps) => (
  <Empty
    title={`Not among the newest ${rows}`}
    action={
      <Button onClick={onOlder} loading={isLoading}>
        Search older {rows}
      </Button>
    }
  >
    A search looks through a thousand {rows} at a time. Continue with older ones.
  </Empty>
);
