import { h, type JSX } from "preact";
import { useRef } from "preact/hooks";
import { YamlText } from "./yaml-text.ts";

interface TextEditorOptions {
  readonly text: string;
  readonly label: string;
  onChange(text: string): void;
  /** Called for Ctrl-S. */
  save(): void;
}

/** A field for YAML: the browser's own, over the same text with colours. Enter keeps the indentation. */
export function TextEditor({ text, label, onChange, save }: TextEditorOptions): JSX.Element {
  const field = useRef<HTMLTextAreaElement>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    const element = field.current;
    if (!element) return;
    if ((event.ctrlKey || event.metaKey) && event.key === "s") {
      event.preventDefault();
      save();
    }
    if (event.key !== "Enter" || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const before = element.value.slice(0, element.selectionStart);
    const line = before.slice(before.lastIndexOf("\n") + 1);
    const indent = /^\s*/.exec(line)?.[0] ?? "";
    const deeper = /:\s*$/.test(line) ? "  " : "";
    event.preventDefault();
    element.setRangeText(
      `\n${indent}${deeper}`,
      element.selectionStart,
      element.selectionEnd,
      "end",
    );
    onChange(element.value);
  };
  return h(
    "div",
    { class: "editor" },
    h(
      "div",
      { class: "editor-space" },
      h("div", { "aria-hidden": "true" }, h(YamlText, { text })),
      h("textarea", {
        ref: field,
        "aria-label": label,
        spellcheck: false,
        autocomplete: "off",
        autocapitalize: "off",
        wrap: "off",
        value: text,
        onInput: ({ currentTarget }: Event) =>
          onChange((currentTarget as HTMLTextAreaElement).value),
        onKeyDown,
      }),
    ),
  );
}
