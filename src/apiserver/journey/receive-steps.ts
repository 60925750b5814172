import { readSteps } from "#/machinery/journey/check-steps.ts";
import { type Layer, parseResource, type Step } from "#/machinery/journey/step.ts";
import { endMs } from "#/machinery/journey/step-length.ts";
import { badRequest } from "#/machinery/meta/status-error.ts";
import type { PreciseClock } from "#/std/time/precise-clock.ts";
import { denied } from "../auth/authorize.ts";
import { nodeIdentity } from "../auth/node/node-identity.ts";
import { noAttributes } from "../model/authorizer.ts";
import type { Reply, UserInfo } from "../model/exchange.ts";
import type { Catalog } from "../registry/catalog.ts";
import type { ResourceRequest } from "../registry/resource-request.ts";
import { readBody } from "../verbs/body/read-body.ts";
import type { Journal } from "./journal.ts";
import { jsonReply } from "./json-reply.ts";

/** Layers in which a node reports only of what it runs. */
const layersOfNodes: ReadonlySet<Layer> = new Set<Layer>(["node", "readiness"]);

interface Receiver {
  readonly journal: Journal;
  readonly catalog: Catalog;
  readonly precise: PreciseClock;
}

/**
 * POST of steps by a component. Every layer needs a permission of its own (create steps/LAYER), and a node may speak
 * only of what it runs. The server sets who reported a step.
 */
export async function receiveSteps(
  request: ResourceRequest,
  { journal, catalog, precise }: Receiver,
): Promise<Reply> {
  const { exchange } = request;
  const { user } = exchange;
  if (!user) throw badRequest("the request has no user");
  const steps = parseSteps(await readBody(exchange));
  for (const layer of new Set(steps.map((step) => step.layer))) {
    await authorizeLayer(request, user, layer);
  }
  const node = nodeIdentity(user);
  for (const step of steps) {
    const isOfNode = node !== undefined && layersOfNodes.has(step.layer);
    if (isOfNode && !isReporter(catalog, step, node)) continue;
    journal.addStep(withClock({ ...step, by: user.name }, precise.now()));
  }
  return jsonReply(201, { kind: "Status", apiVersion: "v1", metadata: {}, status: "Success" });
}

/** The step, with the time by which its reporter's clock is ahead of this one at least (ms), if it is of the future. */
function withClock(step: Step, nowMs: number): Step {
  const { clockAheadMs: _, ...facts } = step.facts ?? {};
  const ms = Math.round(endMs(step) - nowMs);
  if (ms > 0) return { ...step, facts: { ...facts, clockAheadMs: ms } };
  return step.facts ? { ...step, facts } : step;
}

function parseSteps(body: Uint8Array): readonly Step[] {
  try {
    return readSteps(JSON.parse(Buffer.from(body).toString()));
  } catch (error) {
    throw badRequest(`the steps are invalid: ${(error as Error).message}`);
  }
}

async function authorizeLayer(
  { exchange, services }: ResourceRequest,
  user: UserInfo,
  layer: Layer,
): Promise<void> {
  const { apiGroup, apiVersion, resource } = exchange.info;
  const about = { apiGroup, apiVersion, resource, subresource: layer };
  const attributes = { ...noAttributes, ...about, user, verb: "create" };
  const { decision, reason } = await services.authorizer.authorize(attributes);
  if (decision !== "allow") throw denied(attributes, reason);
}

/**
 * Whether it is the node that reports of the object, as the object's declaration says. Steps of an object that is gone
 * are dropped: its node can't be known.
 */
function isReporter(catalog: Catalog, { of }: Step, node: string): boolean {
  const { group, name } = parseResource(of.resource);
  const found = catalog.findResource(group, name);
  const object = found?.store.findCached(of.namespace ?? "", of.name)?.parsed();
  if (!object || object.metadata.uid !== of.uid) return false;
  return found?.declaration.reportingNode?.(object) === node;
}
