import { h, type JSX } from "preact";
import { findKind, findResource } from "../data/discovery.ts";
import { useLiveList } from "../data/live-object.ts";
import { type ApiResource, resourceKey, resourcePath } from "../model/api-resource.ts";
import type { ApiObject } from "../model/object.ts";
import { podSelectorOf, type Reference, referencesOf } from "../model/related.ts";
import { objectRoute } from "../model/route.ts";
import { summaryOf } from "../model/summary.ts";
import { Note } from "../parts/notes.ts";
import { Status } from "../parts/status.ts";
import { t } from "../texts/texts.ts";
import type { Tab, TabProps } from "./tab.ts";

export const relatedTab: Tab = {
  name: "related",
  title: () => t().related,
  isFor: () => true,
  View: Related,
};

/** Kinds that controllers make for others. */
const childKinds = ["replicasets.apps", "pods", "jobs.batch", "endpointslices.discovery.k8s.io"];

function Related({ id, object }: TabProps): JSX.Element {
  const references = referencesOf(object);
  const { namespace } = id;
  const selector = podSelectorOf(object);
  const pods = findResource("pods");
  const children = childKinds.flatMap((key) => findResource(key) ?? []);
  return h(
    "div",
    { class: "related scroll" },
    references.length > 0
      ? h(
          "section",
          { class: "panel" },
          h("h2", null, t().refersTo),
          references.map((reference) =>
            h(ReferenceLink, { key: JSON.stringify(reference), reference }),
          ),
        )
      : null,
    namespace === undefined
      ? null
      : children.map((resource) =>
          h(Children, { key: resourceKey(resource), resource, namespace, owner: object }),
        ),
    namespace !== undefined && selector !== undefined && pods
      ? h(Selected, { resource: pods, namespace, selector, owner: object })
      : null,
    references.length === 0 && namespace === undefined
      ? h(Note, { title: t().nothingRelated })
      : null,
  );
}

function ReferenceLink({ reference }: { readonly reference: Reference }): JSX.Element {
  const { role, group, kind, namespace, name } = reference;
  const resource = findKind(group, kind);
  const text = `${kind} ${name}`;
  const scope = resource?.namespaced ? namespace : undefined;
  return h(
    "div",
    { class: "reference" },
    h("span", { class: "dim" }, t().role(role)),
    resource
      ? h("a", { href: objectRoute(resourceKey(resource), { namespace: scope, name }) }, text)
      : text,
  );
}

/** Objects that an object's controller made for it. */
function Children(options: {
  readonly resource: ApiResource;
  readonly namespace: string;
  readonly owner: ApiObject;
}): JSX.Element | null {
  const { resource, namespace, owner } = options;
  const all = useLiveList(resourcePath(resource, namespace))?.items.value ?? [];
  const own = all.filter(({ metadata: { ownerReferences = [] } }) =>
    ownerReferences.some(({ uid }) => uid === owner.metadata.uid),
  );
  return h(ObjectLinks, { title: t().madeFor(resource.kind), resource, objects: own });
}

/** Pods that an object selects, unless they are its own. */
function Selected(options: {
  readonly resource: ApiResource;
  readonly namespace: string;
  readonly selector: string;
  readonly owner: ApiObject;
}): JSX.Element | null {
  const { resource, namespace, selector, owner } = options;
  const all =
    useLiveList(resourcePath(resource, namespace), { labelSelector: selector })?.items.value ?? [];
  const others = all.filter(({ metadata: { ownerReferences = [] } }) =>
    ownerReferences.every(({ uid }) => uid !== owner.metadata.uid),
  );
  return h(ObjectLinks, { title: t().selects, resource, objects: others });
}

function ObjectLinks(options: {
  readonly title: string;
  readonly resource: ApiResource;
  readonly objects: readonly ApiObject[];
}): JSX.Element | null {
  const { title, resource, objects } = options;
  if (objects.length === 0) return null;
  return h(
    "section",
    { class: "panel" },
    h("h2", null, title),
    objects.map((object) => {
      const summary = summaryOf(object);
      return h(
        "div",
        { key: object.metadata.uid, class: "reference" },
        h("a", { href: objectRoute(resourceKey(resource), object.metadata) }, object.metadata.name),
        summary ? h(Status, summary) : null,
      );
    }),
  );
}
