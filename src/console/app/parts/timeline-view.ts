import { h, type JSX } from "preact";
import { layers } from "#/machinery/journey/step.ts";
import { formatDuration } from "../model/age.ts";
import type { Step, Timeline, TimelineStep } from "../model/journey.ts";
import { t } from "../texts/texts.ts";

interface TimelineOptions {
  readonly timeline: Timeline;
  readonly chosen: Step | undefined;
  choose(step: Step | undefined): void;
}

/** Bars of steps by layer, on one line of time. */
export function TimelineView({ timeline, chosen, choose }: TimelineOptions): JSX.Element {
  const byLayer = Map.groupBy(timeline.steps, ({ step }) => step.layer);
  return h(
    "div",
    { class: "timeline scroll" },
    h(Scale, { durationMs: timeline.durationMs }),
    layers.flatMap((layer) => {
      const steps = byLayer.get(layer) ?? [];
      if (steps.length === 0) return [];
      return h(
        "section",
        { key: layer, class: `timeline-layer layer-${layer}`, "aria-label": t().layerNames(layer) },
        h("h2", null, t().layerNames(layer)),
        steps.map((one, index) =>
          h(Bar, { key: index, one, isChosen: one.step === chosen, choose }),
        ),
      );
    }),
  );
}

/** Marks at fifths of the line. */
function Scale({ durationMs }: { readonly durationMs: number }): JSX.Element {
  return h(
    "div",
    { class: "timeline-scale", "aria-hidden": "true" },
    [0, 0.2, 0.4, 0.6, 0.8].map((share) =>
      h(
        "span",
        { key: share, style: { left: `${share * 100}%` } },
        share === 0 ? "0" : formatDuration(durationMs * share),
      ),
    ),
  );
}

function Bar({
  one,
  isChosen,
  choose,
}: {
  readonly one: TimelineStep;
  readonly isChosen: boolean;
  choose(step: Step | undefined): void;
}): JSX.Element {
  const { step, durationMs, isOpen, left, width } = one;
  const { name, outcome, reason = "", facts = {} } = step;
  const what = ["container", "image", "controller", "node", "service"]
    .map((key) => facts[key])
    .find((value) => typeof value === "string");
  return h(
    "button",
    {
      class: `timeline-step ${outcome}${isOpen ? " open" : ""}`,
      "aria-pressed": isChosen,
      onClick: () => choose(isChosen ? undefined : step),
    },
    h(
      "span",
      { class: "timeline-name" },
      name,
      typeof what === "string" ? h("small", null, what) : null,
    ),
    h(
      "span",
      { class: "timeline-track" },
      h("span", {
        class: "timeline-bar",
        style: { left: `${left * 100}%`, width: `max(3px, ${width * 100}%)` },
      }),
    ),
    h(
      "span",
      { class: "timeline-time" },
      reason && outcome !== "ok" ? reason : isOpen ? "…" : formatDuration(durationMs),
    ),
  );
}
