import { type ComponentChildren, h, type JSX } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { t } from "../texts/texts.ts";
import { Icon } from "./icon.ts";

interface DialogOptions {
  readonly title: string;
  readonly className?: string;
  close(): void;
  readonly children: ComponentChildren;
}

/** A window over the page. The browser keeps the focus inside, and Escape closes it. */
export function Dialog({ title, className = "", close, children }: DialogOptions): JSX.Element {
  const element = useRef<HTMLDialogElement>(null);
  // Before the next key: what is typed at once goes into the window.
  useLayoutEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return h(
    "dialog",
    {
      ref: element,
      class: `dialog ${className}`,
      "aria-label": title,
      onClose: close,
      onClick: (event: MouseEvent) => {
        if (event.target === element.current) close();
      },
    },
    h(
      "div",
      { class: "dialog-body" },
      h(
        "header",
        null,
        h("h2", null, title),
        h(
          "button",
          { class: "quiet icon-button", onClick: close, "aria-label": t().close },
          h(Icon, { name: "close" }),
        ),
      ),
      children,
    ),
  );
}
