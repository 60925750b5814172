import { type ApiObject, listAt, textAt } from "./object.ts";
import { summaryOf } from "./summary.ts";
import type { Tone } from "./tone.ts";

/** Objects of a kind, with its key. */
interface MapSource {
  readonly key: string;
  readonly kind: string;
  readonly objects: readonly ApiObject[];
}

/** An object on the map. */
export interface MapBox {
  readonly id: string;
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
  readonly tone: Tone;
  readonly x: number;
  readonly y: number;
}

/** A line between two boxes, by their indexes. */
interface MapEdge {
  readonly from: number;
  readonly to: number;
}

export interface MapLayout {
  readonly boxes: readonly MapBox[];
  readonly edges: readonly MapEdge[];
  readonly width: number;
  readonly height: number;
}

/** Sizes in units of the map. */
export const boxWidth = 170;
export const boxHeight = 34;
const columnGap = 70;
const rowGap = 8;
const groupGap = 26;
/** Pods beside each other: a workload with many of them is a block, and not a tower. */
const podsPerRow = 4;

/** The column of each kind, from the outside to the Pods. */
const columns: Readonly<Record<string, number>> = {
  Ingress: 0,
  Service: 1,
  CronJob: 2,
  Deployment: 2,
  StatefulSet: 2,
  DaemonSet: 2,
  ReplicaSet: 3,
  Job: 3,
  Pod: 4,
};

interface MapNode {
  readonly source: MapSource;
  readonly object: ApiObject;
  readonly id: string;
  readonly column: number;
}

/** Places objects in columns, each group of connected ones below the other. */
export function layoutMap(sources: readonly MapSource[]): MapLayout {
  const nodes = sources.flatMap((source) =>
    source.objects.map((object): MapNode => {
      const { uid, namespace = "", name } = object.metadata;
      const id = uid ?? `${source.key} ${namespace}/${name}`;
      return { source, object, id, column: columns[source.kind] ?? 2 };
    }),
  );
  const edges = edgesOf(nodes);
  const boxes: MapBox[] = [];
  const places = new Map<MapNode, number>();
  let top = 0;
  let width = 0;
  for (const group of groupsOf(nodes, edges)) {
    const rows = [0, 0, 0, 0, 0];
    let bottom = top;
    for (const node of group) {
      const at = rows[node.column] ?? 0;
      rows[node.column] = at + 1;
      const isPod = node.column === 4;
      const x =
        node.column * (boxWidth + columnGap) +
        (isPod ? (at % podsPerRow) * (boxWidth + rowGap) : 0);
      const y = top + (isPod ? Math.floor(at / podsPerRow) : at) * (boxHeight + rowGap);
      places.set(node, boxes.length);
      boxes.push(boxOf(node, x, y));
      bottom = Math.max(bottom, y + boxHeight);
      width = Math.max(width, x + boxWidth);
    }
    top = bottom + groupGap;
  }
  const indexed = edges.map(([from, to]) => ({
    from: places.get(from) ?? 0,
    to: places.get(to) ?? 0,
  }));
  return { boxes, edges: indexed, width, height: Math.max(0, top - groupGap) };
}

function boxOf({ source, object, id }: MapNode, x: number, y: number): MapBox {
  const { name, namespace } = object.metadata;
  const tone = summaryOf(object)?.tone ?? "idle";
  return { id, key: source.key, kind: source.kind, name, namespace, tone, x, y };
}

type Edge = readonly [from: MapNode, to: MapNode];

/** Owners, selectors of Services, and the backends of Ingresses. */
function edgesOf(nodes: readonly MapNode[]): Edge[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const placeOf = (kind: string, namespace: string | undefined, name: string): string =>
    `${kind} ${namespace}/${name}`;
  const byName = new Map(
    nodes.map((node) => [
      placeOf(node.source.kind, node.object.metadata.namespace, node.object.metadata.name),
      node,
    ]),
  );
  const podsIn = Map.groupBy(
    nodes.filter(({ source }) => source.kind === "Pod"),
    ({ object }) => object.metadata.namespace,
  );
  return nodes.flatMap((node): Edge[] => {
    const { object, source } = node;
    const { namespace, ownerReferences = [] } = object.metadata;
    const owners = ownerReferences.flatMap(({ uid }): Edge[] => {
      const owner = byId.get(uid);
      return owner ? [[owner, node]] : [];
    });
    if (source.kind === "Service") {
      const selector = Object.entries(
        (object["spec"] as { selector?: Record<string, string> } | undefined)?.selector ?? {},
      );
      if (selector.length === 0) return owners;
      const selected = (podsIn.get(namespace) ?? []).filter(({ object: pod }) =>
        selector.every(([label, value]) => pod.metadata.labels?.[label] === value),
      );
      return [...owners, ...selected.map((pod): Edge => [node, pod])];
    }
    if (source.kind !== "Ingress") return owners;
    const paths = listAt(object, "spec", "rules").flatMap((rule) => listAt(rule, "http", "paths"));
    const names = new Set(paths.map((path) => textAt(path, "backend", "service", "name")));
    return [...names].flatMap((name): Edge[] => {
      const service = byName.get(placeOf("Service", namespace, name));
      return service ? [[node, service]] : [];
    });
  });
}

/** Nodes that edges connect, the largest group first; in each in the order of its kinds and names. */
function groupsOf(nodes: readonly MapNode[], edges: readonly Edge[]): MapNode[][] {
  const leader = new Map(nodes.map((node) => [node, node]));
  const find = (node: MapNode): MapNode => {
    let at = node;
    for (let next = leader.get(at); next && next !== at; next = leader.get(at)) {
      leader.set(at, leader.get(next) ?? next);
      at = next;
    }
    return at;
  };
  for (const [from, to] of edges) leader.set(find(from), find(to));
  const groups = [...Map.groupBy(nodes, find).values()];
  const nameOf = ({ object }: MapNode): string => object.metadata.name;
  for (const group of groups)
    group.sort((a, b) => a.column - b.column || (nameOf(a) < nameOf(b) ? -1 : 1));
  // Those that belong to no other one are a block of their own.
  const [connected, single] = [
    groups.filter(({ length }) => length > 1),
    groups.filter(({ length }) => length === 1),
  ];
  const rest = single.flat().sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  return [...connected.sort((a, b) => b.length - a.length), ...(rest.length > 0 ? [rest] : [])];
}
