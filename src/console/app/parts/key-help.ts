import { h, type JSX } from "preact";
import { t } from "../texts/texts.ts";
import { Dialog } from "./dialog.ts";
import { isHelpOpen } from "./palette-state.ts";

/** The list of keys. */
export function KeyHelp(): JSX.Element | null {
  if (!isHelpOpen.value) return null;
  const rows: readonly (readonly [keys: string, text: string])[] = [
    ["Ctrl K", t().search],
    ["?", t().keys],
    ["/", t().filter],
    ["j  k", t().keyMove],
    ["Enter", t().keyOpen],
    ["e", t().keyYaml],
    ["l", t().keyLogs],
    ["g  G", t().keyEnds],
    ["1  2  3  4", `${t().now}, ${t().map}, ${t().learn}, ${t().terminal}`],
    ["Esc", t().close],
  ];
  const close = () => {
    isHelpOpen.value = false;
  };
  return h(Dialog, {
    title: t().keys,
    close,
    children: h(
      "dl",
      { class: "keys" },
      rows.map(([keys, text]) => [
        h(
          "dt",
          { key: keys },
          keys.split("  ").map((key) => h("kbd", { key }, key)),
        ),
        h("dd", { key: text }, text),
      ]),
    ),
  });
}
