import { h, type JSX } from "preact";
import { useState } from "preact/hooks";
import { now } from "../base/now.ts";
import { useJourney } from "../data/journeys.ts";
import { formatDuration } from "../model/age.ts";
import { newestEvents } from "../model/event-view.ts";
import { type Step, stepsFromStatus, timelineOf } from "../model/journey.ts";
import { Skeleton } from "../parts/notes.ts";
import { TimelineView } from "../parts/timeline-view.ts";
import { t } from "../texts/texts.ts";
import { useEvents } from "./events.ts";
import type { Tab, TabProps } from "./tab.ts";

export const journeyTab: Tab = {
  name: "journey",
  title: () => t().journey,
  isFor: ({ object }) => object.kind !== "Event",
  View: JourneyView,
};

function JourneyView({ id, object }: TabProps): JSX.Element {
  const [whole, setWhole] = useState(false);
  const [chosen, choose] = useState<Step | undefined>(undefined);
  const { journey, isAbsent } = useJourney(id);
  const events = useEvents(id)?.items.value ?? [];
  if (journey === undefined && !isAbsent) return h(Skeleton, null);
  const steps = journey?.steps ?? stepsFromStatus(object, newestEvents(events));
  const timeline = timelineOf(steps, now.value, whole);
  const { readyMs, later, durationMs } = timeline;
  return h(
    "div",
    { class: "journey" },
    h(
      "div",
      { class: "toolbar" },
      h(
        "strong",
        null,
        readyMs === undefined ? t().notReadyYet : t().readyAfter(formatDuration(readyMs)),
      ),
      h("span", { class: "dim" }, t().stepCount(timeline.steps.length)),
      later > 0 || whole
        ? h(
            "label",
            { class: "check" },
            h("input", {
              type: "checkbox",
              checked: whole,
              onChange: (event: Event) =>
                setWhole((event.currentTarget as HTMLInputElement).checked),
            }),
            t().wholeTime,
          )
        : null,
      h("span", { class: "space" }),
      h("span", { class: "dim" }, formatDuration(durationMs)),
    ),
    isAbsent ? h("p", { class: "hint" }, t().noJourney) : null,
    journey?.dropped ? h("p", { class: "hint" }, t().droppedSteps(journey.dropped)) : null,
    h(TimelineView, { timeline, chosen, choose }),
    chosen ? h(StepDetails, { step: chosen }) : null,
  );
}

function StepDetails({ step }: { readonly step: Step }): JSX.Element {
  const { layer, name, reason, message, by, facts, attempt, from } = step;
  return h(
    "section",
    { class: "step-details", "aria-label": name, role: "status" },
    h("h2", null, `${t().layerNames(layer)}: ${name}`),
    h(
      "p",
      { class: "dim" },
      [from, by, reason, attempt ? `#${attempt}` : undefined].filter(Boolean).join(" · "),
    ),
    message ? h("p", null, message) : null,
    facts ? h("pre", { tabIndex: 0 }, JSON.stringify(facts, undefined, 2)) : null,
  );
}
