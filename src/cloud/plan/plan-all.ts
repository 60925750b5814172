import { type Node, nodes, type Service, services } from "#/api/core/v1.ts";
import { endpointSlices } from "#/api/discovery/v1.ts";
import type { Informers } from "#/client/informers/informers.ts";
import { keyOf } from "#/client/object-key.ts";
import { asError } from "#/std/base/as-error.ts";
import type { CloudAction } from "../base/action.ts";
import type { CloudOptions } from "../base/cloud-options.ts";
import { planAddresses } from "../controllers/cloud-node/node-addresses.ts";
import { awaitsCloud, planInitializedNode } from "../controllers/cloud-node/plan-node.ts";
import { parseClusterCidrs } from "../controllers/route/node-route.ts";
import { planRoutes } from "../controllers/route/plan-routes.ts";
import { balancedNodes } from "../controllers/service/balanced-nodes.ts";
import { needsCleanup, wantsLoadBalancer } from "../controllers/service/service-policy.ts";
import { verbFor } from "../controllers/service/sync-load-balancer.ts";

/** What would be done for one object. */
export interface PlannedObject {
  /** "Service shop/web", "Node a", "routes". */
  readonly object: string;
  readonly actions: readonly CloudAction[];
  /** Why nothing can be planned. */
  readonly error?: string;
  /** The Service or Node itself. */
  readonly subject?: Service | Node;
}

export interface PlanContext {
  readonly informers: Informers;
  readonly options: CloudOptions;
  readonly signal: AbortSignal;
}

/** What the controllers would do now, object by object. Changes nothing. */
export async function planAll(context: PlanContext): Promise<PlannedObject[]> {
  const { informers } = context;
  const [allServices, allNodes] = [informers.informer(services), informers.informer(nodes)];
  await Promise.all([allServices.synced, allNodes.synced]);
  return [
    ...(await planServices(context)),
    ...(await planNodes(context)),
    ...(await planAllRoutes(context)),
  ];
}

async function planServices({ informers, options, signal }: PlanContext): Promise<PlannedObject[]> {
  const { loadBalancers } = options.provider;
  if (!loadBalancers) return [];
  const ownClass = loadBalancers.loadBalancerClass;
  const targets = balancedNodes(informers.informer(nodes).store.list());
  const concerned = informers
    .informer(services)
    .store.list()
    .filter((service) => wantsLoadBalancer(service, ownClass) || needsCleanup(service));
  const planned: PlannedObject[] = [];
  const isOfPods = concerned.some((service) => loadBalancers.endpoints?.follows(service));
  if (isOfPods) await informers.informer(endpointSlices).synced;
  for (const service of concerned) {
    const goal = { clusterName: options.flags["cluster-name"], service, nodes: targets };
    const found = await outcome(`Service ${keyOf(service)}`, () =>
      loadBalancers.plan(goal, verbFor(service, ownClass), signal),
    );
    planned.push({ ...found, subject: service });
  }
  return planned;
}

async function planNodes({ informers, options, signal }: PlanContext): Promise<PlannedObject[]> {
  const { instances } = options.provider;
  if (!instances) return [];
  const planned: PlannedObject[] = [];
  for (const node of informers.informer(nodes).store.list()) {
    const of = `Node ${node.metadata.name}`;
    const outcomeOf = await outcome(of, async () => {
      const found = await instances.metadata(node, signal);
      if (awaitsCloud(node)) {
        const { metadata, spec } = planInitializedNode(node, found);
        const params = { labels: metadata.labels, spec, addresses: found.addresses };
        return [{ call: "node:Initialize", params, of }];
      }
      const addresses = planAddresses(node, found.addresses);
      return addresses ? [{ call: "node:SetAddresses", params: { addresses }, of }] : [];
    });
    planned.push({ ...outcomeOf, subject: node });
  }
  return planned;
}

async function planAllRoutes(context: PlanContext): Promise<PlannedObject[]> {
  const { informers, options, signal } = context;
  const { provider, flags } = options;
  const { routes } = provider;
  if (!routes || !flags["configure-cloud-routes"]) return [];
  const work = async () => {
    const name = flags["cluster-name"];
    const known = informers.informer(nodes).store.list();
    const cidrs = parseClusterCidrs(flags["cluster-cidr"]);
    const { create, remove } = planRoutes(known, await routes.list(name, signal), cidrs);
    return await routes.plan(name, { create: create.map(({ route }) => route), remove }, signal);
  };
  return [await outcome("routes", work)];
}

async function outcome(
  object: string,
  work: () => Promise<readonly CloudAction[]>,
): Promise<PlannedObject> {
  try {
    return { object, actions: await work() };
  } catch (error) {
    return { object, actions: [], error: asError(error).message };
  }
}
