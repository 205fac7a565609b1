import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";

interface DropdownProps {
  /** What the button shows. */
  trigger: ReactNode;
  label?: string;
  className: string;
  isDisabled?: boolean;
  /** The side of the button at which the menu begins. */
  align: "start" | "end";
  /** Elements with the role of a menu item. */
  children: ReactNode;
}

const itemsIn = (menu: HTMLElement | null): HTMLElement[] => [
  ...(menu?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? []),
];

/**
 * A menu below a button at the edge of the page. It needs none of what Mantine's menu has to be placed anywhere: the frame is part
 * of every first page.
 */
export function Dropdown({ trigger, label, className, isDisabled = false, align, children }: DropdownProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    itemsIn(menu.current)[0]?.focus();
    const closeOutside = ({ target }: Event) => {
      const isInside = menu.current?.contains(target as Node) || button.current?.contains(target as Node);
      if (!isInside) setOpen(false);
    };
    document.addEventListener("pointerdown", closeOutside);
    return () => document.removeEventListener("pointerdown", closeOutside);
  }, [isOpen]);
  const close = () => {
    setOpen(false);
    button.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const items = itemsIn(menu.current);
    const at = items.indexOf(document.activeElement as HTMLElement);
    const next = {
      ArrowDown: (at + 1) % items.length,
      ArrowUp: (at - 1 + items.length) % items.length,
      Home: 0,
      End: items.length - 1,
    }[event.key];
    if (next !== undefined) {
      event.preventDefault();
      items[next]?.focus();
    } else if (event.key === "Escape" || event.key === "Tab") {
      event.stopPropagation();
      close();
    }
  };
  return (
    <div className="dropdown">
      <button
        type="button"
        ref={button}
        className={className}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        disabled={isDisabled}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown") return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        {trigger}
      </button>
      {isOpen ? (
        <div
          ref={menu}
          role="menu"
          tabIndex={-1}
          className="menu"
          data-align={align}
          onKeyDown={onKeyDown}
          onClick={({ target }) => {
            if ((target as Element).closest("[role^=menuitem]")) close();
          }}
        >
          {children}
        </div>
      ) : null}
    </div>
  );
}
