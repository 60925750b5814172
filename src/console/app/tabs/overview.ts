import { h, type JSX } from "preact";
import { findKind } from "../data/discovery.ts";
import { resourceKey } from "../model/api-resource.ts";
import { type ApiObject, groupOf, type OwnerReference } from "../model/object.ts";
import { listRoute, objectRoute } from "../model/route.ts";
import { conditionsOf, conditionTone, containersOf } from "../model/summary.ts";
import { Age } from "../parts/age.ts";
import { Status } from "../parts/status.ts";
import { t } from "../texts/texts.ts";
import { RecentEvents } from "./events.ts";
import type { Tab, TabProps } from "./tab.ts";

export const overviewTab: Tab = {
  name: "overview",
  title: () => t().overview,
  isFor: () => true,
  View: Overview,
};

function Overview({ id, object }: TabProps): JSX.Element {
  return h(
    "div",
    { class: "overview" },
    h(
      "div",
      { class: "column" },
      h(Containers, { object }),
      h(Conditions, { object }),
      h(RecentEvents, { id }),
    ),
    h(
      "div",
      { class: "column side" },
      h(Metadata, { object, resourceName: resourceKey(id.resource) }),
    ),
  );
}

function Containers({ object }: { readonly object: ApiObject }): JSX.Element | null {
  const containers = containersOf(object);
  if (containers.length === 0) return null;
  return h(
    "section",
    { class: "panel" },
    h("h2", null, t().containers),
    containers.map(({ name, image, isInit, state, tone, detail, restarts }) =>
      h(
        "div",
        { key: name, class: "container" },
        h(
          "div",
          null,
          h("strong", null, name),
          isInit ? h("span", { class: "tag" }, "init") : null,
          h(Status, { text: state, tone }),
        ),
        h("code", null, image),
        detail ? h("p", { class: "dim" }, detail) : null,
        restarts > 0 ? h("p", { class: "dim" }, t().restarts(restarts)) : null,
      ),
    ),
  );
}

function Conditions({ object }: { readonly object: ApiObject }): JSX.Element | null {
  const conditions = conditionsOf(object);
  if (conditions.length === 0) return null;
  return h(
    "section",
    { class: "panel" },
    h("h2", null, t().conditions),
    conditions.map((condition) =>
      h(
        "div",
        { key: condition.type, class: "condition" },
        h(Status, { text: condition.type, tone: conditionTone(condition) }),
        h("span", { class: "dim" }, condition.reason),
        h(Age, { ms: condition.changedMs }),
        condition.message ? h("p", null, condition.message) : null,
      ),
    ),
  );
}

function Metadata({
  object,
  resourceName,
}: {
  readonly object: ApiObject;
  readonly resourceName: string;
}): JSX.Element {
  const { metadata } = object;
  const { labels = {}, annotations = {}, ownerReferences = [], finalizers = [] } = metadata;
  return h(
    "section",
    { class: "panel" },
    h(
      "dl",
      null,
      h("dt", null, t().created),
      h("dd", null, h(Age, { ms: Date.parse(metadata.creationTimestamp ?? "") })),
      ownerReferences.length > 0
        ? [
            h("dt", { key: "t" }, t().owner),
            h(
              "dd",
              { key: "d" },
              ownerReferences.map((owner) =>
                h(Owner, { key: owner.uid, owner, namespace: metadata.namespace }),
              ),
            ),
          ]
        : null,
      finalizers.length > 0
        ? [
            h("dt", { key: "ft" }, t().finalizers),
            h(
              "dd",
              { key: "fd" },
              finalizers.map((name) => h("code", { key: name }, name)),
            ),
          ]
        : null,
      h("dt", null, "UID"),
      h("dd", null, h("code", null, metadata.uid ?? "")),
    ),
    h("h2", null, t().labels),
    h(
      "div",
      { class: "chips" },
      Object.entries(labels).map(([key, value]) =>
        h(
          "a",
          { key, class: "chip", href: listRoute(resourceName, { labels: `${key}=${value}` }) },
          `${key}=${value}`,
        ),
      ),
      Object.keys(labels).length === 0 ? h("span", { class: "dim" }, t().none) : null,
    ),
    h("h2", null, t().annotations),
    h(
      "dl",
      { class: "annotations" },
      Object.entries(annotations).map(([key, value]) => [
        h("dt", { key }, key),
        h(
          "dd",
          { key: `${key} value` },
          value.length > maxValue ? `${value.slice(0, maxValue)}…` : value,
        ),
      ]),
    ),
    Object.keys(annotations).length === 0 ? h("span", { class: "dim" }, t().none) : null,
  );
}

/** Limit of an annotation's value (characters): the whole one is in the YAML. */
const maxValue = 300;

function Owner({
  owner,
  namespace,
}: {
  readonly owner: OwnerReference;
  readonly namespace: string | undefined;
}): JSX.Element {
  const resource = findKind(groupOf(owner.apiVersion), owner.kind);
  const text = `${owner.kind} ${owner.name}`;
  if (!resource) return h("span", null, text);
  const link = objectRoute(resourceKey(resource), {
    namespace: resource.namespaced ? namespace : undefined,
    name: owner.name,
  });
  return h("a", { href: link }, text);
}
