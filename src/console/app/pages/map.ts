import { h, type JSX } from "preact";
import { useMemo } from "preact/hooks";
import { route } from "../base/navigation.ts";
import { namespace } from "../base/preferences.ts";
import { findResource, resources } from "../data/discovery.ts";
import { useLiveList } from "../data/live-object.ts";
import { may } from "../data/permissions.ts";
import { resourcePath } from "../model/api-resource.ts";
import { layoutMap } from "../model/map-layout.ts";
import { MapCanvas } from "../parts/map-canvas.ts";
import { Note, Skeleton } from "../parts/notes.ts";
import { t } from "../texts/texts.ts";

/** Kinds on the map. */
const mapped = [
  "ingresses.networking.k8s.io",
  "services",
  "cronjobs.batch",
  "deployments.apps",
  "statefulsets.apps",
  "daemonsets.apps",
  "replicasets.apps",
  "jobs.batch",
  "pods",
] as const;

/** How the objects of a namespace, or of all, belong together. */
export function MapPage(): JSX.Element {
  const { ns = namespace.value } = route.value.query;
  if (resources.value === undefined) return h(Skeleton, null);
  return h(OpenMap, { key: ns ?? "", ns });
}

function OpenMap({ ns }: { readonly ns: string | undefined }): JSX.Element {
  const lists = mapped.map((key) => {
    const resource = findResource(key);
    const isPermitted =
      resource !== undefined &&
      may({ verb: "list", group: resource.group, resource: resource.resource }, ns);
    const live = useLiveList(isPermitted ? resourcePath(resource, ns) : undefined);
    return { key, kind: resource?.kind ?? key, live };
  });
  const isLoading = lists.some(({ live }) => live?.state.value === "loading");
  const items = lists.map(({ live }) => live?.items.value);
  const layout = useMemo(
    () =>
      layoutMap(
        lists.map(({ key, kind }, index) => ({
          key,
          kind,
          objects: (items[index] ?? []).filter(isWanted),
        })),
      ),
    items,
  );
  const { boxes } = layout;
  return h(
    "section",
    { class: "page map-page" },
    h(
      "header",
      { class: "page-head" },
      h("h1", null, t().map),
      h("span", { class: "count" }, t().count(boxes.length)),
    ),
    boxes.length > 0
      ? h(MapCanvas, { layout: layout })
      : isLoading
        ? h(Skeleton, null)
        : h(Note, { icon: "map", title: t().emptyTitle, text: t().emptyText }),
  );
}

/** ReplicaSets of earlier revisions have no Pods, and say nothing. */
function isWanted({
  spec,
  metadata,
}: {
  readonly [field: string]: unknown;
  readonly metadata: { readonly ownerReferences?: readonly unknown[] };
}): boolean {
  const { replicas } = (spec ?? {}) as { readonly replicas?: number };
  return replicas !== 0 || (metadata.ownerReferences ?? []).length === 0;
}
