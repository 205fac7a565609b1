import { Button, type ButtonProps, CopyButton } from "@mantine/core";

/** Copies a text and says that it did. */
export function Copy({ text, label, ...props }: { text: string; label: string } & ButtonProps) {
  return (
    <CopyButton value={text} timeout={2000}>
      {({ copied, copy }) => (
        <Button variant="default" size="compact-sm" className="no-shrink" {...props} onClick={copy} aria-live="polite">
          {copied ? "Copied" : label}
        </Button>
      )}
    </CopyButton>
  );
}
