import { h, type JSX } from "preact";
import { type Tone, toneOf } from "../model/tone.ts";

/** A status word with a mark whose shape, not only its colour, differs with what it means. */
export function Status({
  text,
  tone = toneOf(text),
}: {
  readonly text: string;
  readonly tone?: Tone;
}): JSX.Element {
  return h(
    "span",
    { class: `status ${tone}` },
    h("span", { class: "mark", "aria-hidden": "true" }),
    text,
  );
}
