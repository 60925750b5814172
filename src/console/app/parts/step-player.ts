import { h, type JSX } from "preact";
import { useState } from "preact/hooks";
import { layers } from "#/machinery/journey/step.ts";
import { browserClock } from "../base/browser-clock.ts";
import { useWhileShown } from "../base/while-shown.ts";
import { formatDuration } from "../model/age.ts";
import type { TimelineStep } from "../model/journey.ts";
import { lessonFiles } from "../model/lessons.ts";
import { playTo } from "../model/play-steps.ts";
import { t } from "../texts/texts.ts";
import { Icon, type IconName } from "./icon.ts";

/** Time of each step while they are played (ms): enough to read one. */
const playMs = 1_500;

/** Going through the steps of a way. */
interface Player {
  /** The number of steps that are shown; undefined for the present, with all that happens. */
  readonly at: number | undefined;
  goTo(at: number | undefined): void;
}

export function usePlayer(): Player {
  const [at, goTo] = useState<number | undefined>(undefined);
  return { at, goTo };
}

/** Buttons that go through steps forward and back, and what the step is at which they are. */
export function StepPlayer({
  steps,
  player: { at, goTo },
}: {
  readonly steps: readonly TimelineStep[];
  readonly player: Player;
}): JSX.Element | null {
  const [isPlaying, play] = useState(false);
  const number = at ?? steps.length;
  useWhileShown(
    (stop) => {
      if (!isPlaying) return;
      const end = browserClock.after(playMs, () => {
        const next = playTo(at, 1, steps.length);
        goTo(next);
        if (next === undefined) play(false);
      });
      stop.addEventListener("abort", end);
    },
    [isPlaying, at],
  );
  const go = (next: number | undefined) => {
    play(false);
    goTo(next);
  };
  const start = () => {
    // From the present there is nothing to come: it begins with the first step.
    if (at === undefined) goTo(1);
    play(!isPlaying);
  };
  const step = steps[number - 1];
  if (!step) return null;
  return h(
    "section",
    { class: "panel player", "aria-label": t().stepByStep },
    h(
      "div",
      { class: "player-keys" },
      h(KeyButton, { label: t().stepFirst, icon: "first", isOff: number <= 1, press: () => go(1) }),
      h(KeyButton, {
        ...{ label: t().stepBack, icon: "back", isOff: number <= 1 },
        press: () => go(playTo(at, -1, steps.length)),
      }),
      h(
        "button",
        { class: "player-key", "aria-pressed": isPlaying, onClick: start },
        h(Icon, { name: isPlaying ? "pause" : "play" }),
        h("span", null, isPlaying ? t().pause : t().play),
      ),
      h(KeyButton, {
        ...{ label: t().stepForward, icon: "right", isOff: at === undefined },
        press: () => go(playTo(at, 1, steps.length)),
      }),
      h(KeyButton, {
        ...{ label: t().stepLive, icon: "last", isOff: at === undefined },
        press: () => go(undefined),
      }),
      h("input", {
        ...{ type: "range", min: 1, max: steps.length, value: number },
        "aria-label": t().stepByStep,
        "aria-valuetext": t().stepOf(number, steps.length),
        onInput: (event: Event) => go(Number((event.currentTarget as HTMLInputElement).value)),
      }),
      h("span", { class: "count" }, t().stepOf(number, steps.length)),
    ),
    h(StepCard, { key: number, timed: step, isLive: at === undefined }),
  );
}

function KeyButton(options: {
  readonly label: string;
  readonly icon: IconName;
  readonly isOff: boolean;
  press(): void;
}): JSX.Element {
  const { label, icon, isOff, press } = options;
  return h(
    "button",
    { class: "player-key", title: label, "aria-label": label, disabled: isOff, onClick: press },
    h(Icon, { name: icon }),
  );
}

/** Facts of a step that are shown (count): the journey has them all. */
const shownFacts = 8;
/** Limit of a fact's text (characters). */
const maxFact = 160;

/** What happened in a step: who did what, when, for how long, with which facts, and in which file of ours. */
function StepCard({
  timed: { step, startMs, durationMs, isOpen },
  isLive,
}: {
  readonly timed: TimelineStep;
  readonly isLive: boolean;
}): JSX.Element {
  const { layer, name, outcome, by, reason, message, facts = {} } = step;
  const said = [reason, message].filter(Boolean).join(": ");
  return h(
    "div",
    { class: `step-card ${outcome}`, "aria-live": isLive ? "off" : "polite" },
    h(
      "h3",
      null,
      h("span", { class: "lesson-number" }, layers.indexOf(layer) + 1),
      `${t().layerNames(layer)}: ${name}`,
    ),
    h(
      "p",
      { class: "dim" },
      [
        ...(by ? [t().stepBy(by)] : []),
        `+${formatDuration(startMs)}`,
        isOpen ? t().lessonState("busy") : formatDuration(durationMs),
      ].join(" · "),
    ),
    said === "" ? null : h("p", { class: "step-said" }, said),
    h(
      "dl",
      { class: "step-facts" },
      Object.entries(facts)
        .slice(0, shownFacts)
        .map(([key, value]) => [h("dt", null, key), h("dd", null, factText(value))]),
    ),
    h(
      "p",
      { class: "lesson-files" },
      lessonFiles[layer].map((file) => h("code", { key: file }, file)),
    ),
  );
}

function factText(value: unknown): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  return text.length > maxFact ? `${text.slice(0, maxFact)}…` : text;
}
