/** Upstream: staging/src/k8s.io/cloud-provider/controllers/route/route_controller.go, …/app/core.go. */
import { type Node, nodes } from "#/api/core/v1.ts";
import { refOf } from "#/client/object-key.ts";
import { allSynced } from "#/controller/all-synced.ts";
import type { Controller, ControllerContext } from "#/controller/controller.ts";
import { findCondition } from "#/machinery/meta/conditions.ts";
import { formatTime } from "#/machinery/time/time.ts";
import { forEachParallel } from "#/std/async/for-each-parallel.ts";
import { asError } from "#/std/base/as-error.ts";
import { FlagError } from "#/std/flags/flags.ts";
import { formatDuration } from "#/std/go/duration.ts";
import { type Cidr, parseCidr } from "#/std/net/cidr.ts";
import { repeat } from "#/std/time/repeat.ts";
import type { CloudOptions } from "../../base/cloud-options.ts";
import type { Route, Routes } from "../../base/provider.ts";
import { planRoutes, type RoutePlan } from "./plan-routes.ts";
import { watchNodes } from "./watch-nodes.ts";

type Context = ControllerContext<CloudOptions>;

const name = "node-route-controller";
/** Limit of route operations at once; upstream's. */
const maxOperations = 200;
const watchGate = "CloudControllerManagerWatchBasedRoutesReconciliation";

/** Keeps a route of the cloud for each Pod network of each node. */
export const nodeRouteController: Controller<CloudOptions> = {
  name,
  eventSource: "route_controller",
  async run(context) {
    const { log, options, informers, signal } = context;
    const { flags, provider } = options;
    if (!flags["configure-cloud-routes"]) {
      log.info("will not configure cloud provider routes, as --configure-cloud-routes is false");
      return;
    }
    if (!provider.routes) {
      log.info("will not configure cloud provider routes: the provider does not support routes");
      return;
    }
    const clusterCidrs = parseClusterCidrs(flags["cluster-cidr"]);
    const keeper = new RouteKeeper(provider.routes, clusterCidrs, context);
    if (!(await allSynced([informers.informer(nodes)], signal))) return;
    if (options.enabled(watchGate)) return await watchNodes(context, (key) => keeper.sync(key));
    const { clock } = context;
    const failed = (error: unknown) => log.error(error, "couldn't reconcile node routes");
    const everyMs = flags["route-reconciliation-period"];
    await repeat(() => keeper.sync("periodic"), { clock, everyMs, failed }, signal);
  },
};

/** Throws FlagError with upstream's message. */
export function parseClusterCidrs(text: string): readonly Cidr[] {
  const cidrs = text
    .trim()
    .split(",")
    .map((part) => {
      const cidr = parseCidr(part);
      if (cidr) return cidr;
      throw new FlagError(`invalid CIDR address: ${part}`);
    });
  const families = new Set(cidrs.map(({ ip }) => ip.family));
  if (cidrs.length > 1 && families.size < 2) {
    throw new FlagError(
      `len of ClusterCIDRs==${cidrs.length} and they are not configured as dual stack (at least one from each IPFamily`,
    );
  }
  if (cidrs.length <= 2) return cidrs;
  throw new FlagError(`length of clusterCIDRs is:${cidrs.length} more than max allowed of 2`);
}

class RouteKeeper {
  readonly #routes: Routes;
  readonly #clusterCidrs: readonly Cidr[];
  readonly #context: Context;
  readonly #syncs;

  constructor(routes: Routes, clusterCidrs: readonly Cidr[], context: Context) {
    this.#routes = routes;
    this.#clusterCidrs = clusterCidrs;
    this.#context = context;
    this.#syncs = context.metrics?.counter({
      name: "route_controller_route_sync_total",
      help: "A metric counting the number of route reconciles with the cloud provider, labeled by the trigger (periodic or node_change) and the outcome (error if the reconcile failed, changed if at least one route was created or deleted, otherwise noop).",
      stability: "ALPHA",
      labels: ["outcome", "trigger"],
    });
  }

  /** Compares the routes of the cloud with the nodes, and changes what differs. */
  async sync(trigger: string): Promise<void> {
    const count = (outcome: string) => this.#syncs?.with({ outcome, trigger }).inc();
    try {
      count((await this.#reconcile()) ? "changed" : "noop");
    } catch (error) {
      count("error");
      throw error;
    }
  }

  async #reconcile(): Promise<boolean> {
    const { options, signal, informers } = this.#context;
    const routes = await this.#routes.list(options.flags["cluster-name"], signal);
    const known = informers.informer(nodes).store.list();
    const plan = planRoutes(known, routes, this.#clusterCidrs);
    const failed = new Set<string>();
    const removing = this.#remove(plan);
    const removed = plan.isOrdered ? await removing : undefined;
    const created = await this.#create(plan, failed);
    const isChanged = (removed ?? (await removing)) > 0 || created > 0;
    await forEachParallel(
      plan.nodes,
      maxOperations,
      (node) => this.#setCondition(node, isRouted(node, failed)),
      (error, { metadata }) =>
        this.#context.log.error(error, "failed to update networking condition", {
          node: metadata.name,
        }),
    );
    return isChanged;
  }

  /** Number of removed routes. */
  async #remove({ remove }: RoutePlan): Promise<number> {
    const { options, signal, log } = this.#context;
    let removed = 0;
    const work = async (route: Route): Promise<void> => {
      await this.#routes.remove(options.flags["cluster-name"], route, signal);
      removed++;
    };
    await forEachParallel(remove, maxOperations, work, (error, { name: of, destinationCidr }) =>
      log.error(error, "could not delete route", { route: of, cidr: destinationCidr }),
    );
    return removed;
  }

  /** Number of created routes; the names of nodes without one of theirs are added to the set. */
  async #create({ create }: RoutePlan, failed: Set<string>): Promise<number> {
    const { options, signal, recorder, clock } = this.#context;
    let created = 0;
    await forEachParallel(
      create,
      maxOperations,
      async ({ node, route }) => {
        const startMs = clock.monotonicMs();
        const { name: of = "", uid = "" } = node.metadata;
        try {
          await this.#routes.create(options.flags["cluster-name"], uid, route, signal);
          created++;
        } catch (error) {
          failed.add(of);
          const took = formatDuration(Math.round(clock.monotonicMs() - startMs));
          const text = `Could not create route ${uid} ${route.destinationCidr} for node ${of} after ${took}: ${asError(error).message}`;
          const ref = { apiVersion: "v1", kind: nodes.kind, name: of, uid };
          recorder.event(ref, "Warning", "FailedToCreateRoute", text);
          throw error;
        }
      },
      (error, { node }) =>
        this.#context.log.error(error, "could not create route", { node: node.metadata.name }),
    );
    return created;
  }

  async #setCondition(node: Node, isRoutedNow: boolean): Promise<void> {
    const { client, clock } = this.#context;
    // A whole condition, as a patch without their order: where the list has none, it becomes the first one.
    const wanted = isRoutedNow
      ? { status: "False", reason: "RouteCreated", message: "RouteController created a route" }
      : {
          status: "True",
          reason: "NoRouteCreated",
          message: "RouteController failed to create a route",
        };
    const conditions = node.status?.conditions ?? [];
    const present = findCondition(conditions, "NetworkUnavailable");
    if (present?.status === wanted.status && present.reason === wanted.reason) return;
    const now = formatTime(clock.now());
    const times = { lastHeartbeatTime: now, lastTransitionTime: now };
    const patch = { status: { conditions: [{ type: "NetworkUnavailable", ...wanted, ...times }] } };
    await client.patch(nodes, refOf(node), patch, { type: "strategic", subresource: "status" });
  }
}

/** Whether all networks of a node have routes now. */
function isRouted({ metadata, spec }: Node, failed: ReadonlySet<string>): boolean {
  return (spec?.podCIDRs ?? []).length > 0 && !failed.has(metadata.name ?? "");
}
