import { type ComponentChildren, h, type JSX } from "preact";
import { ApiFailure } from "../data/api.ts";
import { t } from "../texts/texts.ts";
import { Icon, type IconName } from "./icon.ts";

interface NoteOptions {
  readonly icon?: IconName;
  readonly title: string;
  readonly text?: string | undefined;
  readonly children?: ComponentChildren;
}

/** What is shown where there is nothing else: why, and what to do. */
export function Note({ icon = "check", title, text, children }: NoteOptions): JSX.Element {
  return h(
    "div",
    { class: "note" },
    h("div", { class: "note-icon" }, h(Icon, { name: icon })),
    h("h2", null, title),
    text === undefined ? null : h("p", null, text),
    children,
  );
}

/** The same for what the user may not see. */
export const ForbiddenNote = (): JSX.Element =>
  h(Note, { icon: "access", title: t().forbiddenTitle, text: t().forbiddenText });

/** The same for something that could not be read. What is forbidden says so quietly. */
export function FailureNote({ failure }: { readonly failure: Error | undefined }): JSX.Element {
  if (failure instanceof ApiFailure && failure.status === 403) {
    return h(ForbiddenNote, {});
  }
  if (failure instanceof ApiFailure && failure.status === 404) {
    return h(Note, { icon: "search", title: t().notFoundTitle, text: failure.message });
  }
  return h(Note, { icon: "warning", title: t().failedTitle, text: failure?.message });
}

/** Rows that are about to come. */
export function Skeleton({ rows = 8 }: { readonly rows?: number }): JSX.Element {
  const widths = [62, 48, 71, 55, 66, 43, 58, 69];
  return h(
    "div",
    { class: "skeleton", role: "status", "aria-label": t().loading },
    Array.from({ length: rows }, (_, index) =>
      h("div", { key: index, style: { width: `${widths[index % widths.length]}%` } }),
    ),
  );
}
