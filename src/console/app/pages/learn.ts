import { useSignal } from "@preact/signals";
import { h, type JSX } from "preact";
import { useState } from "preact/hooks";
import { layers } from "#/machinery/journey/step.ts";
import { route } from "../base/navigation.ts";
import { now } from "../base/now.ts";
import { namespace } from "../base/preferences.ts";
import { useDiagnosis } from "../data/diagnoses.ts";
import { findResource, resources } from "../data/discovery.ts";
import { useJourney } from "../data/journeys.ts";
import { makeRecipe, mayMake, removeRecipes } from "../data/learn-objects.ts";
import { type ObjectId, useLiveList, useLiveObject } from "../data/live-object.ts";
import { may } from "../data/permissions.ts";
import { formatDuration } from "../model/age.ts";
import { type ApiResource, fieldIs, resourceKey, resourcePath } from "../model/api-resource.ts";
import { newestEvents } from "../model/event-view.ts";
import { stepsFromStatus, timelineOf } from "../model/journey.ts";
import { followedResources, type Recipe, recipeLabel, recipes } from "../model/lessons.ts";
import type { ApiObject } from "../model/object.ts";
import { objectRoute } from "../model/route.ts";
import { summaryOf } from "../model/summary.ts";
import { Lesson } from "../parts/lesson-view.ts";
import { Note, Skeleton } from "../parts/notes.ts";
import { Status } from "../parts/status.ts";
import { StepPlayer, usePlayer } from "../parts/step-player.ts";
import { say } from "../parts/toasts.ts";
import { t } from "../texts/texts.ts";

/** The way of a Pod, layer by layer, as it happens or step by step; and ways to break it. */
export function LearnPage(): JSX.Element {
  const { ns = namespace.value ?? "default" } = route.value.query;
  if (resources.value === undefined) return h(Skeleton, null);
  return h(Learn, { key: ns, ns });
}

/** An object that a recipe has made. */
interface Made {
  readonly resource: ApiResource;
  readonly object: ApiObject;
}

/** The objects of recipes, the newest first. */
function useMade(ns: string): readonly Made[] {
  // Their number is fixed, as hooks must be.
  const lists = followedResources.map((name) => {
    const resource = findResource(name);
    const isVisible =
      resource && may({ verb: "list", group: resource.group, resource: resource.resource }, ns);
    const path = resource && isVisible ? resourcePath(resource, ns) : undefined;
    const objects = useLiveList(path, { labelSelector: recipeLabel })?.items.value ?? [];
    return resource ? objects.map((object) => ({ resource, object })) : [];
  });
  return lists.flat().sort(newestFirst);
}

const newestFirst = ({ object: a }: Made, { object: b }: Made): number =>
  (b.metadata.creationTimestamp ?? "") < (a.metadata.creationTimestamp ?? "") ? -1 : 1;

function Learn({ ns }: { readonly ns: string }): JSX.Element {
  const [chosen, choose] = useState<string | undefined>(undefined);
  const made = useMade(ns);
  const shown = made.find(({ object }) => object.metadata.uid === chosen) ?? made[0];
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
        h(Recipes, { ns, choose }),
        made.length > 0 ? h(MadeObjects, { ns, made, shown, choose }) : null,
      ),
      shown
        ? h(Lessons, {
            key: shown.object.metadata.uid,
            id: { resource: shown.resource, namespace: ns, name: shown.object.metadata.name },
          })
        : h(EmptyLessons, {}),
    ),
  );
}

function Recipes({
  ns,
  choose,
}: {
  readonly ns: string;
  choose(uid: string | undefined): void;
}): JSX.Element {
  const image = useSignal("nginx:1.29");
  const make = async (recipe: Recipe) => {
    try {
      choose((await makeRecipe(recipe, image.value, ns)).metadata.uid);
    } catch (error) {
      say((error as Error).message, { isBad: true });
    }
  };
  const possible = recipes.filter((recipe) => mayMake(recipe, ns));
  if (possible.length === 0) return h("p", { class: "hint" }, t().forbiddenText);
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
      possible.map((recipe) =>
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

function MadeObjects(options: {
  readonly ns: string;
  readonly made: readonly Made[];
  readonly shown: Made | undefined;
  choose(uid: string | undefined): void;
}): JSX.Element {
  const { ns, made, shown, choose } = options;
  const clear = () =>
    removeRecipes(ns).catch((error: Error) => say(error.message, { isBad: true }));
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
    made.map(({ resource, object }) => {
      const { name, uid } = object.metadata;
      const isChosen = uid === shown?.object.metadata.uid;
      const summary = summaryOf({ kind: resource.kind, ...object });
      return h(
        "button",
        {
          key: uid,
          class: isChosen ? "made chosen" : "made",
          "aria-pressed": isChosen,
          onClick: () => choose(uid),
        },
        resource.kind === "Pod" ? name : `${resource.kind.toLowerCase()}/${name}`,
        summary ? h(Status, summary) : null,
      );
    }),
  );
}

function Lessons({ id }: { readonly id: ObjectId }): JSX.Element {
  const { object } = useLiveObject(id);
  const { journey, isAbsent } = useJourney(id);
  const { found } = useDiagnosis(id, object?.metadata.resourceVersion);
  const player = usePlayer();
  const about = `involvedObject.kind=${id.resource.kind},${fieldIs("involvedObject.name", id.name)}`;
  const events =
    useLiveList(`/api/v1/namespaces/${id.namespace}/events`, { fieldSelector: about })?.items
      .value ?? [];
  const steps = journey?.steps ?? (object ? stepsFromStatus(object, newestEvents(events)) : []);
  const { steps: timed, readyMs } = timelineOf(steps, now.value, true);
  const shown = timed.slice(0, player.at);
  const current = player.at === undefined ? undefined : shown.at(-1)?.step.layer;
  const byLayer = Map.groupBy(shown, ({ step }) => step.layer);
  const isPod = id.resource.kind === "Pod";
  return h(
    "div",
    { class: "column lessons" },
    h(
      "section",
      { class: "panel" },
      h(
        "h2",
        null,
        h("a", { href: objectRoute(resourceKey(id.resource), id) }, id.name),
        h("span", { class: "space" }),
        isPod
          ? readyMs === undefined
            ? t().notReadyYet
            : t().readyAfter(formatDuration(readyMs))
          : null,
      ),
      found && found.state !== "healthy" ? h("p", { class: "why-line" }, found.sentence) : null,
      isAbsent ? h("p", { class: "hint" }, t().noJourney) : null,
    ),
    h(StepPlayer, { steps: timed, player }),
    layers.map((layer) =>
      h(Lesson, {
        key: layer,
        layer,
        steps: byLayer.get(layer) ?? [],
        isCurrent: layer === current,
      }),
    ),
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
