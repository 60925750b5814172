import { h, type JSX } from "preact";
import { type Layer, layers } from "#/machinery/journey/step.ts";
import { formatDuration } from "../model/age.ts";
import type { Step, TimelineStep } from "../model/journey.ts";
import { layerTone, lessonFiles } from "../model/lessons.ts";
import { t } from "../texts/texts.ts";
import { Status } from "./status.ts";

/** Steps of a layer that are shown (count): the journey has them all. */
const shownSteps = 6;

/** What a layer does, and what it has done so far. */
export function Lesson({
  layer,
  steps,
  isCurrent = false,
}: {
  readonly layer: Layer;
  readonly steps: readonly TimelineStep[];
  /** Whether the step at which the user is belongs to it. */
  readonly isCurrent?: boolean;
}): JSX.Element {
  const tone = layerTone(steps.map(({ step }) => step));
  return h(
    "section",
    { class: `panel lesson ${tone}${isCurrent ? " current" : ""}` },
    h(
      "h2",
      null,
      h("span", { class: "lesson-number" }, layers.indexOf(layer) + 1),
      t().layerNames(layer),
      h("span", { class: "space" }),
      h(Status, { text: t().lessonState(tone), tone }),
    ),
    h("p", null, t().lessonText(layer)),
    steps.length > 0
      ? h(
          "ul",
          { class: "lesson-steps" },
          steps
            .slice(-shownSteps)
            .map(({ step, startMs, durationMs, isOpen }, index) =>
              h(
                "li",
                { key: index, class: step.outcome },
                h("code", null, `+${formatDuration(startMs)}`),
                h("strong", null, step.name),
                h("span", { class: "dim" }, isOpen ? "…" : formatDuration(durationMs)),
                h("span", null, messageOf(step)),
              ),
            ),
        )
      : null,
    h(
      "p",
      { class: "lesson-files" },
      lessonFiles[layer].map((file) => h("code", { key: file }, file)),
    ),
  );
}

const messageOf = ({ reason, message }: Step): string =>
  [reason, message].filter(Boolean).join(": ");
