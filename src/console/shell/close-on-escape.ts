/**
 * Escape closes the dialog on top alone: a question about a record leaves the record open. Each dialog listens on the window for
 * itself, so this has to listen before the first one.
 */
export function closeTopmostOnly(): void {
  window.addEventListener(
    "keydown",
    (event) => {
      if (event.key !== "Escape" || event.isComposing) return;
      // A drop-down that is open takes the key itself.
      if ((event.target as Element).getAttribute("data-mantine-stop-propagation") === "true") return;
      const [top, below] = [...document.querySelectorAll("[role=dialog][aria-modal=true]")].reverse();
      if (!top || !below) return;
      event.stopImmediatePropagation();
      top.querySelector<HTMLElement>("button[aria-label=Close]")?.click();
    },
    { capture: true },
  );
}
