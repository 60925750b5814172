import { useSignal } from "@preact/signals";
import { h, type JSX } from "preact";
import { useState } from "preact/hooks";
import { type Layer, layers } from "#/machinery/journey/step.ts";
import { route } from "../base/navigation.ts";
import { now } from "../base/now.ts";
import { namespace } from "../base/preferences.ts";
import { ApiFailure, getJson, send } from "../data/api.ts";
import { useDiagnosis } from "../data/diagnoses.ts";
import { findResource, resources } from "../data/discovery.ts";
import { useJourney } from "../data/journeys.ts";
import { type ObjectId, useLiveList, useLiveObject } from "../data/live-object.ts";
import { may } from "../data/permissions.ts";
import { formatDuration } from "../model/age.ts";
import { type ApiResource, fieldIs, resourcePath } from "../model/api-resource.ts";
import { newestEvents } from "../model/event-view.ts";
import { type Step, stepsFromStatus, type TimelineStep, timelineOf } from "../model/journey.ts";
import {
  layerTone,
  lessonFiles,
  type Recipe,
  recipeLabel,
  recipePod,
  recipeService,
  recipes,
} from "../model/lessons.ts";
import type { ApiObject } from "../model/object.ts";
import { objectRoute } from "../model/route.ts";
import { summaryOf } from "../model/summary.ts";
import { Note, Skeleton } from "../parts/notes.ts";
import { Status } from "../parts/status.ts";
import { say } from "../parts/toasts.ts";
import { t } from "../texts/texts.ts";

/** The way of a Pod, layer by layer, as it happens; and ways to break it. */
export function LearnPage(): JSX.Element {
  const pods = findResource("pods");
  const { ns = namespace.value ?? "default" } = route.value.query;
  if (resources.value === undefined || !pods) return h(Skeleton, null);
  return h(Learn, { key: ns, pods, ns });
}

function Learn({ pods, ns }: { readonly pods: ApiResource; readonly ns: string }): JSX.Element {
  const live = useLiveList(resourcePath(pods, ns), { labelSelector: recipeLabel });
  const [chosen, choose] = useState<string | undefined>(undefined);
  const made = (live?.items.value ?? []).toSorted(newestFirst);
  const pod = made.find(({ metadata }) => metadata.name === chosen) ?? made[0];
  const isPermitted = may({ verb: "create", group: "", resource: "pods" }, ns);
  return h(
    "section",
    { class: "page" },
    h(
      "header",
      { class: "page-head" },
      h("h1", null, t().learn),
      h("span", { class: "count" }, t().learnIn(ns)),
    ),
    h(
      "div",
      { class: "learn scroll" },
      h(
        "div",
        { class: "column" },
        h("p", { class: "lead" }, t().learnLead),
        isPermitted
          ? h(Recipes, { pods, ns, choose })
          : h("p", { class: "hint" }, t().forbiddenText),
        made.length > 0 ? h(MadePods, { pods, ns, made, pod, choose }) : null,
      ),
      pod
        ? h(Lessons, {
            key: pod.metadata.uid,
            id: { resource: pods, namespace: ns, name: pod.metadata.name },
          })
        : h(EmptyLessons, {}),
    ),
  );
}

const newestFirst = (a: ApiObject, b: ApiObject): number =>
  (b.metadata.creationTimestamp ?? "") < (a.metadata.creationTimestamp ?? "") ? -1 : 1;

function Recipes({
  pods,
  ns,
  choose,
}: {
  readonly pods: ApiResource;
  readonly ns: string;
  choose(name: string): void;
}): JSX.Element {
  const image = useSignal("nginx:1.29");
  const make = async (recipe: Recipe) => {
    try {
      await ensureService(ns);
      const path = `${resourcePath(pods, ns)}?fieldManager=k8ts-console`;
      const body = recipePod(recipe, image.value);
      choose((await getJson<ApiObject>(path, { method: "POST", body })).metadata.name);
    } catch (error) {
      say((error as Error).message, { isBad: true });
    }
  };
  return h(
    "section",
    { class: "panel" },
    h("h2", null, t().tryIt),
    h(
      "label",
      { class: "image-field" },
      h("span", null, t().image),
      h("input", {
        value: image.value,
        spellcheck: false,
        onInput: (event: Event) => (image.value = (event.currentTarget as HTMLInputElement).value),
      }),
    ),
    h(
      "div",
      { class: "recipes" },
      recipes.map((recipe) =>
        h(
          "button",
          {
            key: recipe,
            class: recipe === "good" ? "recipe good" : "recipe",
            onClick: () => void make(recipe),
          },
          h("strong", null, t().recipeTitle(recipe)),
          h("span", null, t().recipeText(recipe)),
        ),
      ),
    ),
  );
}

/** A Service for the Pods, so that their way goes through the last layer, too; they start without one as well. */
async function ensureService(ns: string): Promise<void> {
  if (!may({ verb: "create", group: "", resource: "services" }, ns)) return;
  const path = `/api/v1/namespaces/${ns}/services?fieldManager=k8ts-console`;
  await send(path, { method: "POST", body: recipeService }).catch((error: Error) => {
    if (!(error instanceof ApiFailure) || error.status !== conflictStatus) throw error;
  });
}

/** It is there already. */
const conflictStatus = 409;

function MadePods(options: {
  readonly pods: ApiResource;
  readonly ns: string;
  readonly made: readonly ApiObject[];
  readonly pod: ApiObject | undefined;
  choose(name: string): void;
}): JSX.Element {
  const { pods, ns, made, pod, choose } = options;
  const remove = (path: string) =>
    send(path, { method: "DELETE" }).catch((error: Error) => {
      if (!(error instanceof ApiFailure) || error.status !== 404)
        say(error.message, { isBad: true });
    });
  const clear = async () => {
    await remove(`${resourcePath(pods, ns)}?labelSelector=${recipeLabel}`);
    if (may({ verb: "delete", group: "", resource: "services" }, ns))
      await remove(`/api/v1/namespaces/${ns}/services/${recipeService.metadata.name}`);
  };
  return h(
    "section",
    { class: "panel" },
    h(
      "h2",
      null,
      t().yourPods,
      h("span", { class: "space" }),
      h("button", { class: "quiet", onClick: () => void clear() }, t().removeAll),
    ),
    made.map((object) => {
      const { name, uid } = object.metadata;
      const summary = summaryOf(object);
      return h(
        "button",
        {
          key: uid,
          class: object === pod ? "made chosen" : "made",
          "aria-pressed": object === pod,
          onClick: () => choose(name),
        },
        name,
        summary ? h(Status, summary) : null,
      );
    }),
  );
}

function Lessons({ id }: { readonly id: ObjectId }): JSX.Element {
  const { object } = useLiveObject(id);
  const { journey, isAbsent } = useJourney(id);
  const { found } = useDiagnosis(id, object?.metadata.resourceVersion);
  const fieldSelector = `involvedObject.kind=Pod,${fieldIs("involvedObject.name", id.name)}`;
  const events =
    useLiveList(`/api/v1/namespaces/${id.namespace}/events`, { fieldSelector })?.items.value ?? [];
  const steps = journey?.steps ?? (object ? stepsFromStatus(object, newestEvents(events)) : []);
  const { steps: timed, readyMs } = timelineOf(steps, now.value, true);
  const byLayer = Map.groupBy(timed, ({ step }) => step.layer);
  return h(
    "div",
    { class: "column lessons" },
    h(
      "section",
      { class: "panel" },
      h(
        "h2",
        null,
        h("a", { href: objectRoute("pods", id) }, id.name),
        h("span", { class: "space" }),
        readyMs === undefined ? t().notReadyYet : t().readyAfter(formatDuration(readyMs)),
      ),
      found && found.state !== "healthy" ? h("p", { class: "why-line" }, found.sentence) : null,
      isAbsent ? h("p", { class: "hint" }, t().noJourney) : null,
    ),
    layers.map((layer) => h(Lesson, { key: layer, layer, steps: byLayer.get(layer) ?? [] })),
  );
}

function EmptyLessons(): JSX.Element {
  return h(
    "div",
    { class: "column lessons" },
    h(Note, { icon: "learn", title: t().noLesson, text: t().noLessonText }),
    layers.map((layer) => h(Lesson, { key: layer, layer, steps: [] })),
  );
}

/** Steps of a layer that are shown (count): the journey has them all. */
const shownSteps = 6;

function Lesson({
  layer,
  steps,
}: {
  readonly layer: Layer;
  readonly steps: readonly TimelineStep[];
}): JSX.Element {
  const tone = layerTone(steps.map(({ step }) => step));
  return h(
    "section",
    { class: `panel lesson ${tone}` },
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
