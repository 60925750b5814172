import { h, type JSX } from "preact";
import type { DiffLine } from "../model/diff-lines.ts";
import { t } from "../texts/texts.ts";

const marks: Readonly<Record<DiffLine["kind"], string>> = {
  same: " ",
  removed: "−",
  added: "+",
  skipped: " ",
};

/** Lines that differ, each with a sign besides its colour. */
export function DiffView({ lines }: { readonly lines: readonly DiffLine[] }): JSX.Element {
  return h(
    "pre",
    { class: "code diff", tabIndex: 0, "aria-label": t().changes },
    lines.map(({ kind, text }, index) =>
      h(
        "span",
        { key: index, class: `code-line ${kind}` },
        h("span", { class: "diff-mark" }, marks[kind]),
        text,
        "\n",
      ),
    ),
  );
}
