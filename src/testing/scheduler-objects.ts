import type { Resource } from "#/api/base/resource.ts";
import type { Node, Pod, PodSpec, PodStatus } from "#/api/core/v1.ts";
import type { ObjectMeta } from "#/api/meta/v1.ts";
import { Client } from "#/client/client.ts";
import type { Transport } from "#/client/transport/transport.ts";
import { NodeInfo } from "#/scheduler/cache/node-info.ts";
import { podInfoOf } from "#/scheduler/cache/pod-info.ts";
import { Snapshot } from "#/scheduler/cache/snapshot.ts";
import type { Lister, PluginContext } from "#/scheduler/framework/context.ts";
import { Cycle } from "#/scheduler/framework/cycle.ts";
import { prepareFilters } from "#/scheduler/framework/filter-run.ts";
import type { Plugin } from "#/scheduler/framework/plugin.ts";
import { rejectionText } from "#/scheduler/framework/rejection.ts";
import type { PluginDeclaration } from "#/scheduler/plugins/shared/plugin-declaration.ts";
import { seededRandom } from "#/std/base/random.ts";
import { FakeClock } from "./fake-clock.ts";

/** A node of 4 cores, 8 GiB and 10 pods, with the test's fields. */
export function testNode(
  name: string,
  {
    metadata,
    spec,
    status,
  }: { metadata?: ObjectMeta; spec?: Node["spec"]; status?: Node["status"] } = {},
): Node {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, ...metadata },
    spec: { ...spec },
    status: { allocatable: { cpu: "4", memory: "8Gi", pods: "10" }, ...status },
  };
}

/** A pod in the namespace default, of one container without requests. */
export function testPod(
  name: string,
  parts: { metadata?: ObjectMeta; spec?: Partial<PodSpec>; status?: PodStatus } = {},
): Pod {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, namespace: "default", uid: `uid-${name}`, ...parts.metadata },
    spec: {
      containers: [{ name: "main", image: "main" }],
      schedulerName: "default-scheduler",
      ...parts.spec,
    },
    ...(parts.status ? { status: parts.status } : {}),
  };
}

/** A container with these requests. */
export const asking = (requests: Record<string, string>): Partial<PodSpec> => ({
  containers: [{ name: "main", image: "main", resources: { requests } }],
});

/** A node with pods on it. */
export function occupied(node: Node, pods: readonly Pod[] = []): NodeInfo {
  return NodeInfo.of(node, pods.map(podInfoOf));
}

interface Named {
  readonly metadata: ObjectMeta;
}

/** A plugin's context with these objects. */
export function testContext(
  objects: readonly (readonly [Resource<unknown>, readonly Named[]])[] = [],
): PluginContext {
  const byResource = new Map(objects);
  return {
    clock: new FakeClock(),
    random: seededRandom(1),
    client: new Client({} as Transport),
    lister: <T>(resource: Resource<T>) =>
      listerOf(byResource.get(resource) ?? []) as unknown as Lister<T>,
    record: () => undefined,
    giveWay: () => Promise.resolve(),
    countPreemption: () => undefined,
    nominatedOn: () => [],
    activate: () => undefined,
    cancelBinding: () => false,
  };
}

function listerOf(objects: readonly Named[]): Lister<Named> {
  const inNamespace = (namespace: string | undefined) => (object: Named) =>
    (object.metadata.namespace ?? "") === (namespace ?? "");
  return {
    list: () => objects,
    listNamespace: (namespace) => objects.filter(inNamespace(namespace)),
    get: (namespace, name) =>
      objects.filter(inNamespace(namespace)).find(({ metadata }) => metadata.name === name),
  };
}

/**
 * A plugin's result for each node: "" if the pod fits, else the reason; a single text if PreFilter
 * fails.
 */
export function filterTexts(
  plugin: Plugin,
  pod: Pod,
  nodes: readonly NodeInfo[],
): string | Record<string, string> {
  const cycle = new Cycle(podInfoOf(pod), Snapshot.of(nodes));
  const { run, rejection, nodeNames } = prepareFilters([plugin], cycle, () => []);
  if (rejection) return rejectionText(rejection);
  const filtered = nodes.filter(({ name }) => nodeNames === undefined || nodeNames.has(name));
  return Object.fromEntries(
    filtered.map((node) => {
      const refusal = run.check(node);
      return [node.name, refusal ? rejectionText(refusal) : ""];
    }),
  );
}

/** The normalized scores of a plugin; undefined if it skips scoring. */
export function scoresOf(
  plugin: Plugin,
  pod: Pod,
  nodes: readonly NodeInfo[],
): Record<string, number> | undefined {
  const cycle = new Cycle(podInfoOf(pod), Snapshot.of(nodes));
  const scorer = plugin.score?.(cycle, nodes);
  if (scorer === undefined) return undefined;
  const scores = Float64Array.from(nodes, (node) => scorer.score(node));
  scorer.normalize?.(scores, nodes);
  return Object.fromEntries(nodes.map(({ name }, index) => [name, scores[index] ?? 0]));
}

/** A plugin with these arguments, and defaults for the others. */
export function testPlugin<Args extends object>(
  { name, args, make }: PluginDeclaration<Args>,
  given: Partial<Args> = {},
  context: PluginContext = testContext(),
): Plugin {
  // A plugin without rules for arguments takes any object.
  const completed = args?.complete(given) ?? (given as Args);
  return { name, ...make(completed, { context, extenders: [] }) };
}
