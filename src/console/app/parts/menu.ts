import { type ComponentChildren, h, type JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";

interface MenuItem {
  readonly label: string;
  readonly isChosen?: boolean;
  /** BCP 47 tag, if the label is in a language of its own. */
  readonly lang?: string;
  run(): void;
}

interface MenuOptions {
  readonly label: string;
  readonly items: readonly MenuItem[];
  readonly children: ComponentChildren;
}

/** A button that opens a list of choices: arrows move in it, Escape closes it. */
export function Menu({ label, items, children }: MenuOptions): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const root = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    const buttons = () =>
      Array.from(root.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? []);
    (buttons().find((item) => item.ariaChecked === "true") ?? buttons()[0])?.focus();
    const away = ({ target }: Event) => {
      if (!root.current?.contains(target as Node)) setOpen(false);
    };
    document.addEventListener("pointerdown", away);
    return () => document.removeEventListener("pointerdown", away);
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) return;
    const all = Array.from(root.current?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? []);
    const at = all.indexOf(document.activeElement as HTMLElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) all[(at + step + all.length) % all.length]?.focus();
    else if (event.key === "Escape") {
      setOpen(false);
      button.current?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return h(
    "div",
    { class: "menu", ref: root, onKeyDown },
    h(
      "button",
      {
        ref: button,
        class: "quiet",
        "aria-label": label,
        title: label,
        "aria-haspopup": "menu",
        "aria-expanded": isOpen,
        onClick: () => setOpen(!isOpen),
      },
      children,
    ),
    isOpen
      ? h(
          "div",
          { class: "menu-list", role: "menu", "aria-label": label },
          items.map(({ label: text, isChosen, lang, run }) =>
            h(
              "button",
              {
                key: text,
                role: isChosen === undefined ? "menuitem" : "menuitemradio",
                ...(isChosen === undefined ? {} : { "aria-checked": isChosen }),
                ...(lang ? { lang } : {}),
                onClick: () => {
                  setOpen(false);
                  button.current?.focus();
                  run();
                },
              },
              text,
            ),
          ),
        )
      : null,
  );
}
