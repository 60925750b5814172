import { h, type JSX } from "preact";
import { useMemo } from "preact/hooks";
import { yamlParts } from "../model/yaml-parts.ts";

/** Limit of the lines that get colours (count): more would take longer than a frame. */
const maxColored = 3000;

/** YAML to read, with colours. */
export function YamlText({ text }: { readonly text: string }): JSX.Element {
  const lines = useMemo(() => text.replace(/\n$/, "").split("\n"), [text]);
  if (lines.length > maxColored) return h("pre", { class: "code", tabIndex: 0 }, text);
  return h(
    "pre",
    { class: "code", tabIndex: 0 },
    lines.map((line, index) =>
      h(
        "span",
        { key: index, class: "code-line" },
        yamlParts(line).map(({ text: part, look }, at) =>
          h("span", { key: at, ...(look ? { class: `yaml-${look}` } : {}) }, part),
        ),
        "\n",
      ),
    ),
  );
}
