import { signal } from "@preact/signals";
import { h, type JSX } from "preact";
import { browserClock } from "../base/browser-clock.ts";

interface Toast {
  readonly id: number;
  readonly text: string;
  readonly isBad: boolean;
}

const toasts = signal<readonly Toast[]>([]);
/** How long a message is shown (ms): long enough to read a sentence twice. */
const shownMs = 6_000;
/** Limit of messages at a time (count): more would cover the page. */
const maxToasts = 4;
let nextId = 1;

/** Shows a message for some seconds. */
export function say(text: string, { isBad = false } = {}): void {
  const toast = { id: nextId++, text, isBad };
  toasts.value = [...toasts.value, toast].slice(-maxToasts);
  browserClock.after(shownMs, () => {
    toasts.value = toasts.value.filter(({ id }) => id !== toast.id);
  });
}

export function Toasts(): JSX.Element {
  return h(
    "div",
    { class: "toasts", role: "status", "aria-live": "polite" },
    toasts.value.map(({ id, text, isBad }) =>
      h("div", { key: id, class: isBad ? "toast bad" : "toast" }, text),
    ),
  );
}
